"""A scripted port and a connection to it, for the tests of the line protocol."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import anyio
from anyio.abc import ByteStream, TaskStatus

from onefate.broker.errors import ImpossibleId, Unavailable
from onefate.port.lines import UnixAddress, dial, listen, serve_listener
from onefate.port.lines.framing import LineReader

Json = dict[str, object]


class ScriptedPort:
    """Answers calls with what was asked; waits last until `settle`."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []
        self.fates: dict[str, Json] = {}
        self.impossible: dict[str, ImpossibleId] = {}
        self.gate = anyio.Event()
        self.gate.set()
        self.called = anyio.Event()
        self.waits = 0
        self.abandoned = 0
        self._moved = anyio.Event()

    def tools(self) -> Sequence[Mapping[str, object]]:
        return [{"name": "g.do_action"}]

    async def call(self, name: str, args: object = None) -> Mapping[str, object]:
        self.called.set()
        await self.gate.wait()
        if name == "down":
            raise Unavailable("the store could not be reached in time")
        if name == "broken":
            raise RuntimeError("a secret of the process")
        self.calls.append((name, args))
        self._tell()
        return {"ok": True, "did": name}

    async def when_settled(self, transition_id: str) -> Mapping[str, object]:
        if transition_id in self.impossible:
            raise self.impossible[transition_id]
        self.waits += 1
        self._tell()
        try:
            while transition_id not in self.fates:
                await self._moved.wait()
        except anyio.get_cancelled_exc_class():
            self.abandoned += 1
            self._tell()
            raise
        return self.fates[transition_id]

    async def settled_answer(self, transition_id: str) -> Mapping[str, object] | None:
        if transition_id in self.impossible:
            raise self.impossible[transition_id]
        return self.fates.get(transition_id)

    def settle(self, transition_id: str) -> None:
        self.fates[transition_id] = {"effectStatus": "performed"}
        self._tell()

    async def until(self, *, waits: int = 0, abandoned: int = 0, calls: int = 0) -> None:
        with anyio.fail_after(5):
            while self.waits < waits or self.abandoned < abandoned or len(self.calls) < calls:
                await self._moved.wait()

    def _tell(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()


class Raw:
    """A connection that writes whatever it is told to and reads answers in their order."""

    def __init__(self, stream: ByteStream) -> None:
        self.stream = stream
        self._reader = LineReader(stream, 1 << 24)

    async def send(self, *lines: object) -> None:
        for line in lines:
            data = line if isinstance(line, bytes) else json.dumps(line).encode()
            await self.stream.send(data + b"\n")

    async def answer(self) -> Json:
        with anyio.fail_after(5):
            line = await self._reader.next()
        assert line is not None
        return cast("Json", json.loads(line))


@asynccontextmanager
async def served(
    port: ScriptedPort, where: Path, **bounds: int
) -> AsyncGenerator[UnixAddress, None]:
    listener, address = await listen(UnixAddress(str(where / "p.sock")))
    assert isinstance(address, UnixAddress)
    async with listener, anyio.create_task_group() as group:
        group.start_soon(lambda: serve_listener(port, listener, **bounds))
        try:
            yield address
        finally:
            group.cancel_scope.cancel()


@asynccontextmanager
async def raw(port: ScriptedPort, where: Path, **bounds: int) -> AsyncGenerator[Raw, None]:
    async with served(port, where, **bounds) as address, await dial(address) as stream:
        yield Raw(stream)


async def serve_until(
    port: ScriptedPort,
    where: Path,
    stop: anyio.Event,
    *,
    task_status: TaskStatus[UnixAddress] = anyio.TASK_STATUS_IGNORED,
) -> None:
    async with served(port, where) as address:
        task_status.started(address)
        await stop.wait()
