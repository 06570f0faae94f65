"""Child processes of the chaos suite: they say lines of JSON, are told lines, and can be killed.

A child ends with the block that started it, whatever happened in there.
"""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class Child:
    """One child process."""

    process: asyncio.subprocess.Process

    async def said(self) -> object:
        """Give the next line it says."""
        out = self.process.stdout
        line = await out.readline() if out is not None else b""
        if not line:
            raise AssertionError(f"it ended with {await self.process.wait()} and said nothing")
        return cast("object", json.loads(line))

    async def tell(self, *lines: str) -> None:
        """Write lines to it."""
        into = self.process.stdin
        if into is not None:
            into.write("".join(f"{line}\n" for line in lines).encode())
            await into.drain()

    def tell_no_more(self) -> None:
        """End its input."""
        if self.process.stdin is not None:
            self.process.stdin.close()

    async def kill(self) -> None:
        """End it as if its machine had gone."""
        self.process.kill()
        assert await self.process.wait() == -signal.SIGKILL


@asynccontextmanager
async def child(module: str, *arguments: str) -> AsyncGenerator[Child]:
    """A running `python -m module`, killed at the end of the block if it still runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments,
        cwd=ROOT, stdin=PIPE, stdout=PIPE, limit=2**26,
    )  # fmt: skip
    try:
        yield Child(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def say(word: object) -> None:
    """Print one line of JSON."""
    sys.stdout.write(json.dumps(word) + "\n")
    sys.stdout.flush()


async def stdin_lines() -> AsyncIterator[str]:
    """Give the lines this process is told, until its input ends."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line.strip()
