"""The workers' process, as the measuring one sees it."""

import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Final, cast

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream
from anyio.streams.buffered import BufferedByteReceiveStream

from onefate.broker.ledger.broker import Broker
from onefate.workers.bench.place import Place

_PROGRAM: Final = "onefate.workers.bench.workers_process"
_LONGEST: Final = 1 << 16


class Far:
    """The other process, as this one sees it."""

    def __init__(self, said: ByteReceiveStream, heard: ByteSendStream) -> None:
        self._said = BufferedByteReceiveStream(said)
        self._heard = heard

    async def line(self) -> str:
        """Give the next line that it says."""
        return (await self._said.receive_until(b"\n", _LONGEST)).decode()

    async def commands(self) -> Mapping[str, int]:
        """Ask how many commands it has sent, by kind of life."""
        await self._heard.send(b"\n")
        return cast("dict[str, int]", json.loads(await self.line()))


@asynccontextmanager
async def far_process(here: Place) -> AsyncGenerator[Far]:
    """Start the process of the workers, and end it."""
    command = [sys.executable, "-m", _PROGRAM, here.url, here.namespace]
    async with await anyio.open_process(command, stdin=subprocess.PIPE, stderr=None) as process:
        said, heard = process.stdout, process.stdin
        if said is None or heard is None:
            raise ChildProcessError
        far = Far(said, heard)
        await far.line()
        try:
            yield far
        finally:
            await heard.aclose()
            await process.wait()


def sent(broker: Broker) -> int:
    """Count a broker's commands without heartbeats, which depend on the time alone."""
    counters = broker.link.counters
    return counters.commands - counters.heartbeats
