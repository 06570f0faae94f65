"""A client that asks and never reads, and a system that has no room for another connection."""

import errno
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import ByteStream

from onefate.port.lines import dial, serve_stream
from onefate.port.lines.local import listen_local
from tests.guarantees import proves
from tests.workers.lines_world import ScriptedPort, served

pytestmark = proves("call:never-waits")


class CountingPort(ScriptedPort):
    """Counts how often it is asked for its tools."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def tools(self) -> Sequence[Mapping[str, object]]:
        self.asked += 1
        return super().tools()


class Deaf(ByteStream):
    """A client that sends lines for ever and takes no answer."""

    def __init__(self, method: str) -> None:
        self._method = method
        self._number = 0

    async def receive(self, max_bytes: int = 65_536) -> bytes:
        assert max_bytes
        await anyio.lowlevel.checkpoint()
        self._number += 1
        line = {"id": self._number, "method": self._method, "request": 0}
        return json.dumps(line).encode() + b"\n"

    async def send(self, item: bytes) -> None:
        assert item
        await anyio.sleep_forever()

    async def send_eof(self) -> None:
        """Nothing to end."""

    async def aclose(self) -> None:
        """Nothing to close."""


@pytest.mark.parametrize(("method", "most"), [("tools", 20), ("abandon", 40)])
async def test_answers_nobody_reads_are_bounded(method: str, most: int) -> None:
    port = CountingPort()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: serve_stream(port, Deaf(method), max_in_flight=20))
            await anyio.wait_all_tasks_blocked()
            assert len(anyio.get_running_tasks()) < most + 10
            group.cancel_scope.cancel()
    assert port.asked == (20 if method == "tools" else 0)


async def test_a_system_without_room_for_a_connection_does_not_end_the_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = await listen_local(str(tmp_path / "full.sock"))
    assert listener is not None
    refusals = [OSError(errno.EMFILE, "Too many open files")] * 3
    accept = listener.accept

    def crowded() -> object:
        if refusals:
            raise refusals.pop()
        return accept()

    monkeypatch.setattr(listener, "accept", crowded)
    async with listener, anyio.create_task_group() as group:
        connected = anyio.Event()

        async def greet(stream: ByteStream) -> None:
            async with stream:
                connected.set()

        group.start_soon(listener.serve, greet)
        with anyio.fail_after(5):
            async with await anyio.connect_unix(str(tmp_path / "full.sock")):
                await connected.wait()
        group.cancel_scope.cancel()
    assert not refusals


async def test_whoever_reads_is_answered_again(tmp_path: Path) -> None:
    async with (
        served(CountingPort(), tmp_path, max_in_flight=1) as address,
        await dial(address) as stream,
    ):
        for number in range(3):
            await stream.send(json.dumps({"id": number, "method": "tools"}).encode() + b"\n")
            with anyio.fail_after(5):
                assert b"g.do_action" in await stream.receive()
