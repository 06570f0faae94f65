"""The child processes of the demo: started, heard to be ready, and ended by their pids.

A child says that it is ready by one line on its standard output, `ready …`. Children have a session
of their own, so that an interruption of the demo reaches them only through the crew; they are on a
leash: each ends when its standard input does, also when the demo itself is killed.
"""

import os
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

from onefate.workers.demo.errors import MemberFailed

READY = "ready "
START_SECONDS = 15.0
END_SECONDS = 3.0


@dataclass(slots=True)
class Member:
    """One child process that is ready."""

    name: str
    process: Process
    said: str
    """What it said after `ready`."""

    async def kill(self) -> None:
        """End it as if its machine had gone: SIGKILL, no goodbye."""
        self.process.kill()
        await self.process.wait()


class Crew:
    """Every child of one demo; use `gather`, which leaves none behind."""

    def __init__(self, directory: Path, environment: Mapping[str, str]) -> None:
        self._directory = directory
        self._environment = {**os.environ, **environment}
        self._processes: list[Process] = []

    async def start(self, command: str, *arguments: str) -> Member:
        """Start `onefate` with `command` and give it once it is ready.

        Raises:
            MemberFailed: it ended or said nothing in time.
        """
        name = f"{command}-{len(self._processes) + 1}"
        log = self._directory / f"{name}.log"
        async with await anyio.open_file(log, "wb") as stderr:
            process = await anyio.open_process(
                [sys.executable, "-m", "onefate.workers", command, "--leash", *arguments],
                stderr=stderr.wrapped,
                env=self._environment,
                start_new_session=True,
            )
        self._processes.append(process)
        with anyio.move_on_after(START_SECONDS):
            said = await _first_line(process)
            if said.startswith(READY):
                return Member(name, process, said.removeprefix(READY).strip())
        raise MemberFailed(name, (await anyio.Path(log).read_text("utf-8")).strip()[-500:])

    async def end(self) -> None:
        """End every child: asked first, then made to."""
        alive = [process for process in self._processes if process.returncode is None]
        for process in alive:
            process.send_signal(signal.SIGTERM)
        with anyio.move_on_after(END_SECONDS):
            for process in alive:
                await process.wait()
        for process in alive:
            if process.returncode is None:
                process.kill()
        for process in self._processes:
            await process.aclose()


@asynccontextmanager
async def gather(directory: Path, environment: Mapping[str, str]) -> AsyncGenerator[Crew, None]:
    """Hold a crew whose children are gone afterwards, whatever happened."""
    crew = Crew(directory, environment)
    try:
        yield crew
    finally:
        with anyio.CancelScope(shield=True):
            await crew.end()


async def _first_line(process: Process) -> str:
    if process.stdout is None:
        return ""
    text = ""
    async for part in TextReceiveStream(process.stdout):
        text += part
        if "\n" in text:
            break
    return text.partition("\n")[0]
