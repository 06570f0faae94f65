"""Processes that act on one session at once: started together, each prints one line of JSON.

`python -m tests.door.racer URL SESSION ARGUMENTS…` says `ready`, waits for a line, then acts.
"""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import cast

ROOT = Path(__file__).parents[2]


async def together(module: str, *arguments: tuple[str, ...]) -> list[object]:
    """Start a process for each row of arguments, let them go at once, and give what each says."""
    processes = [await _start(module, row) for row in arguments]
    for process in processes:
        if process.stdout is None or await process.stdout.readline() != b"ready\n":
            raise AssertionError(f"{module} did not get ready")
    said = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
    return [cast("object", json.loads(out)) for out, _ in said]


async def _start(module: str, arguments: tuple[str, ...]) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments,
        cwd=ROOT, stdin=PIPE, stdout=PIPE, limit=2**26,
    )  # fmt: skip


def say(word: object) -> None:
    """Print one line of JSON."""
    sys.stdout.write(json.dumps(word) + "\n")
    sys.stdout.flush()


async def get_ready() -> None:
    """Say that this process is ready, and wait to be let go."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
