"""What processes that serve until they are told otherwise have in common."""

import os
import signal
import sys
from typing import Final

import anyio

DONE: Final = 0
INTERRUPTED: Final = 130
_CHUNK: Final = 4096


def say_ready(where: str = "") -> None:
    """Tell whoever started this process that it serves now: one line on the standard output."""
    sys.stdout.write(f"ready {where}\n")
    sys.stdout.flush()


async def until_stopped(*, leash: bool) -> int:
    """Wait for SIGTERM or SIGINT, or on a leash for the end of the input; give the exit code.

    A second signal finds its default handler again, and so ends the process at once.
    """
    code = DONE
    async with anyio.create_task_group() as group:
        if leash:
            group.start_soon(_until_input_ends, group.cancel_scope)
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
            async for each in received:
                code = INTERRUPTED if each is signal.SIGINT else DONE
                break
        group.cancel_scope.cancel()
    return code


async def _until_input_ends(scope: anyio.CancelScope) -> None:
    inherited = sys.stdin.fileno()
    while True:
        await anyio.wait_readable(inherited)
        if not os.read(inherited, _CHUNK):
            scope.cancel()
            return
