"""What processes that serve until they are told otherwise have in common."""

import os
import signal
import sys
from typing import Final

import anyio

DONE: Final = 0
INTERRUPTED: Final = 130
_CHUNK: Final = 4096


async def serve_until_stopped(ready: str, *, leash: bool) -> int:
    """Say that this process serves, then wait to be told to end; give the exit code.

    `ready …` goes to the standard output in one line, once signals are heard. SIGTERM ends with 0
    and SIGINT with 130; on a leash the end of the standard input does, too.
    """
    code = DONE
    async with anyio.create_task_group() as group:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
            if leash:
                group.start_soon(_until_input_ends, group.cancel_scope)
            sys.stdout.write(f"ready {ready}\n")
            sys.stdout.flush()
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
