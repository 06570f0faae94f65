"""The line protocol: a port in another process, without surprises."""

import struct
from pathlib import Path
from socket import SO_LINGER, SOL_SOCKET
from typing import cast

import anyio
import pytest
from anyio.abc import ByteStream, SocketAttribute

from onefate.broker.errors import (
    AmbiguousId,
    BadInput,
    Forgotten,
    ImpossibleId,
    NeverExisted,
    WasAsk,
    WasStimulus,
)
from onefate.port.lines import (
    LinesClient,
    TcpAddress,
    UnixAddress,
    connect,
    dial,
    listen,
    parse_address,
    serve_listener,
)
from onefate.port.lines.errors import AddressRefused, PortAnsweredError, PortGone
from tests.guarantees import proves
from tests.workers.lines_world import Json, Raw, ScriptedPort, raw, serve_until, served

pytestmark = proves("call:never-waits", "wait:never-fails", "answer:three")

RESET = struct.pack("ii", 1, 0)
BAD_LINES = [
    b"not json",
    b'"a text"',
    b"[1]",
    b"{}",
    b'{"id": true, "method": "tools"}',
    b'{"id": 1.5, "method": "tools"}',
    b'{"id": "", "method": "tools"}',
    b'{"id": 1, "method": "sing"}',
    b'{"id": 1, "method": "call"}',
    b'{"id": 1, "method": "call", "name": 4}',
    b'{"id": 1, "method": "when_settled", "transitionId": null}',
    b'{"id": 1, "method": "abandon", "request": []}',
    b'{"id": 1, "method": "call", "name": "x", "args": NaN}',
    b'{"id": 1, "method": "call", "name": "x", "args": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"id": ' + b"9" * 5000 + b', "method": "tools"}',
    b"\xff\xfe\x00",
]


def error_of(answer: Json) -> str:
    return str(cast("Json", answer["error"])["code"])


@pytest.mark.parametrize("line", BAD_LINES, ids=range(len(BAD_LINES)))
async def test_a_bad_line_costs_one_error_and_nothing_else(tmp_path: Path, line: bytes) -> None:
    async with raw(ScriptedPort(), tmp_path) as wire:
        await wire.send(line, {"id": 9, "method": "tools"})
        assert error_of(await wire.answer()) == "BAD_LINE"
        assert await wire.answer() == {"id": 9, "result": [{"name": "g.do_action"}]}


async def test_the_id_of_a_bad_line_comes_back_where_it_gave_one(tmp_path: Path) -> None:
    async with raw(ScriptedPort(), tmp_path) as wire:
        await wire.send({"id": "a", "method": "sing"}, {"method": "tools"})
        assert (await wire.answer())["id"] == "a"
        assert "id" not in await wire.answer()


async def test_a_huge_line_is_skipped_whole(tmp_path: Path) -> None:
    async with raw(ScriptedPort(), tmp_path, max_line_bytes=1000) as wire:
        await wire.send(b"x" * 1001, b"y" * 500_000, b"", {"id": 1, "method": "tools"})
        assert error_of(await wire.answer()) == "LINE_TOO_LONG"
        assert error_of(await wire.answer()) == "LINE_TOO_LONG"
        assert (await wire.answer())["id"] == 1


async def test_a_wait_blocks_no_other_request(tmp_path: Path) -> None:
    port = ScriptedPort()
    async with raw(port, tmp_path) as wire:
        await wire.send({"id": 1, "method": "when_settled", "transitionId": "a#1"})
        await wire.send({"id": 2, "method": "settled_answer", "transitionId": "a#1"})
        assert await wire.answer() == {"id": 2, "result": None}
        port.settle("a#1")
        assert await wire.answer() == {"id": 1, "result": {"effectStatus": "performed"}}


async def test_hundreds_of_waits_on_one_connection_all_end(tmp_path: Path) -> None:
    port = ScriptedPort()
    answers: list[object] = []
    async with served(port, tmp_path) as address, connect(address) as client:

        async def wait(number: int) -> None:
            answers.append(await client.when_settled(f"a#{number % 7}"))

        async with anyio.create_task_group() as group:
            for number in range(300):
                group.start_soon(wait, number)
            await port.until(waits=300)
            for number in range(7):
                port.settle(f"a#{number}")
    assert answers == [{"effectStatus": "performed"}] * 300


async def test_an_id_in_use_is_refused_and_its_first_request_goes_on(tmp_path: Path) -> None:
    port = ScriptedPort()
    async with raw(port, tmp_path) as wire:
        await wire.send(*[{"id": 1, "method": "when_settled", "transitionId": "a#1"}] * 2)
        assert error_of(await wire.answer()) == "REQUEST_ID_IN_USE"
        port.settle("a#1")
        assert (await wire.answer())["result"] == {"effectStatus": "performed"}
        await wire.send({"id": 1, "method": "tools"})
        assert "result" in await wire.answer()


async def test_what_is_in_flight_on_a_connection_is_bounded(tmp_path: Path) -> None:
    port = ScriptedPort()
    async with served(port, tmp_path, max_in_flight=20) as address, connect(address) as client:
        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(client.when_settled, f"a#{number}")
            await port.until(waits=20)
            with pytest.raises(PortAnsweredError, match="At most 20 requests"):
                await client.tools()
            group.cancel_scope.cancel()
        await port.until(abandoned=20)
        assert await client.tools()


async def test_a_cancelled_wait_is_abandoned_and_only_that_wait(tmp_path: Path) -> None:
    port = ScriptedPort()
    async with served(port, tmp_path) as address, connect(address) as client:
        async with anyio.create_task_group() as group:
            group.start_soon(client.when_settled, "a#1")
            await port.until(waits=1)
            group.cancel_scope.cancel()
        await port.until(abandoned=1)
        port.settle("a#1")
        with anyio.fail_after(5):
            assert await client.when_settled("a#1") == {"effectStatus": "performed"}


async def test_abandoning_by_hand_says_whether_there_was_a_wait(tmp_path: Path) -> None:
    port = ScriptedPort()
    async with raw(port, tmp_path) as wire:
        await wire.send({"id": 1, "method": "when_settled", "transitionId": "a#1"})
        await wire.send({"id": 2, "method": "abandon", "request": 1})
        by_id = {answer["id"]: answer for answer in [await wire.answer(), await wire.answer()]}
        assert by_id[2]["result"] is True
        assert error_of(by_id[1]) == "WAIT_ABANDONED"
        await wire.send({"id": 3, "method": "abandon", "request": 1})
        assert (await wire.answer())["result"] is False


async def test_a_call_outlives_its_client_and_a_wait_does_not(tmp_path: Path) -> None:
    port = ScriptedPort()
    port.gate = anyio.Event()
    async with served(port, tmp_path) as address:
        async with connect(address) as client, anyio.create_task_group() as group:
            group.start_soon(client.when_settled, "a#1")
            group.start_soon(client.call, "g.do_action", {"action": "pay"})
            await port.until(waits=1)
            await port.called.wait()
            group.cancel_scope.cancel()
        await port.until(abandoned=1)
        port.gate.set()
        await port.until(calls=1)
    assert port.calls == [("g.do_action", {"action": "pay"})]


async def test_errors_carry_their_code_and_never_the_secrets_of_a_process(tmp_path: Path) -> None:
    async with served(ScriptedPort(), tmp_path) as address, connect(address) as client:
        with pytest.raises(PortAnsweredError) as down:
            await client.call("down")
        with pytest.raises(PortAnsweredError) as broken:
            await client.call("broken")
    assert down.value.reason == "UNAVAILABLE"
    assert broken.value.reason == "ONEFATE_ERROR"
    assert "secret" not in str(broken.value)


@proves("id:impossible-raises")
@pytest.mark.parametrize("error", [NeverExisted, Forgotten, WasStimulus, WasAsk, AmbiguousId])
async def test_an_impossible_id_raises_what_it_raises_at_the_port(
    tmp_path: Path, error: type[ImpossibleId]
) -> None:
    port = ScriptedPort()
    raised = port.impossible["x#1"] = error("x#1", ["a#1", "a#2"])
    port.impossible["x#2"] = error("x#2")
    async with served(port, tmp_path) as address, connect(address) as client:
        with pytest.raises(error) as found:
            await client.settled_answer("x#1")
        with pytest.raises(error) as alone:
            await client.when_settled("x#2")
    assert str(found.value) == str(raised)
    assert (found.value.fire_id, found.value.awaiting) == ("x#1", ("a#1", "a#2"))
    assert (alone.value.fire_id, alone.value.awaiting) == ("x#2", ())


async def test_what_its_holder_raises_comes_out_as_it_is(tmp_path: Path) -> None:
    async with served(ScriptedPort(), tmp_path) as address:
        with pytest.raises(LookupError, match="mine"):
            async with connect(address):
                raise LookupError("mine")


async def test_an_answer_that_is_not_json_costs_only_itself(tmp_path: Path) -> None:
    port = ScriptedPort()
    port.fates["nan"] = {"data": float("nan")}
    async with served(port, tmp_path) as address, connect(address) as client:
        with pytest.raises(PortAnsweredError, match="failed to answer"):
            await client.settled_answer("nan")
        assert await client.tools()


async def test_a_client_that_vanishes_disturbs_nobody(tmp_path: Path) -> None:
    port = ScriptedPort()
    port.gate = anyio.Event()
    async with served(port, tmp_path) as address, connect(address) as client:
        stream = await dial(address)
        await stream.send(b'{"id": 1, "method": "call", "name": "late"}\n')
        await port.called.wait()
        stream.extra_attributes[SocketAttribute.raw_socket]().setsockopt(
            SOL_SOCKET, SO_LINGER, RESET
        )
        await anyio.aclose_forcefully(stream)
        port.gate.set()
        await port.until(calls=1)
        assert await client.tools()


@pytest.mark.parametrize("line", [b"hello", b'{"id": [], "result": 1}', b'{"id": 1, "error": 4}'])
async def test_whatever_is_no_port_is_a_port_that_has_gone(tmp_path: Path, line: bytes) -> None:
    async def babble(stream: ByteStream) -> None:
        async with stream:
            await stream.receive()
            await stream.send(line + b"\n")
            await stream.receive()

    listener, address = await listen(UnixAddress(str(tmp_path / "p.sock")))
    async with listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, babble)
        async with connect(address) as client:
            with pytest.raises(PortGone):
                await client.tools()
        group.cancel_scope.cancel()


async def test_a_port_that_goes_ends_every_question_by_name(tmp_path: Path) -> None:
    port = ScriptedPort()
    ended: list[str] = []

    async def ask(client: LinesClient, transition_id: str) -> None:
        try:
            await client.when_settled(transition_id)
        except PortGone:
            ended.append(transition_id)

    stop = anyio.Event()
    async with anyio.create_task_group() as group:
        address = await group.start(serve_until, port, tmp_path, stop)
        async with connect(address) as client, anyio.create_task_group() as asking:
            asking.start_soon(ask, client, "a#1")
            asking.start_soon(ask, client, "a#2")
            await port.until(waits=2)
            stop.set()
        with pytest.raises(PortGone):
            await client.tools()
    assert sorted(ended) == ["a#1", "a#2"]


async def test_a_live_port_is_never_pushed_aside(tmp_path: Path) -> None:
    async with served(ScriptedPort(), tmp_path) as address:
        with pytest.raises(AddressRefused, match="another port listens there"):
            await listen(address)
        async with connect(address) as client:
            assert await client.tools()


async def test_a_socket_left_behind_is_replaced(tmp_path: Path) -> None:
    address = UnixAddress(str(tmp_path / "p.sock"))
    for _ in range(2):
        listener, _ = await listen(address)
        await listener.aclose()


async def test_an_address_the_system_refuses_is_said_by_name(tmp_path: Path) -> None:
    with pytest.raises(AddressRefused, match="cannot listen at unix:"):
        await listen(UnixAddress(str(tmp_path / ("x" * 200))))


async def test_tcp_serves_too() -> None:
    listener, address = await listen(TcpAddress("127.0.0.1", 0))
    async with listener, anyio.create_task_group() as group:
        group.start_soon(serve_listener, ScriptedPort(), listener)
        async with connect(address) as client:
            assert await client.tools()
        group.cancel_scope.cancel()


async def test_nobody_listening_is_said_by_name(tmp_path: Path) -> None:
    with pytest.raises(PortGone):
        async with connect(UnixAddress(str(tmp_path / "nobody.sock"))):
            pass


async def test_a_text_that_is_no_unicode_survives(tmp_path: Path) -> None:
    port = ScriptedPort()
    async with served(port, tmp_path) as address, connect(address) as client:
        await client.call("g.do_action", {"action": "\ud800 a\nb"})
    assert port.calls == [("g.do_action", {"action": "\ud800 a\nb"})]


@pytest.mark.parametrize("text", ["unix:/tmp/a:b", "tcp:127.0.0.1:80", "tcp:[::1]:0"])
def test_an_address_is_spelled_as_it_is_read(text: str) -> None:
    assert str(parse_address(text)) == text


@pytest.mark.parametrize("text", ["", "unix:", "tcp:", "tcp:a", "tcp::1", "tcp:a:b", "tcp:a:70000"])
def test_what_is_no_address_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_address(text)
    assert refused.value.code == "BAD_ADDRESS"


def test_tcp_is_understood() -> None:
    assert parse_address("tcp:[::1]:8") == TcpAddress("::1", 8)


async def test_an_end_without_a_line_end_still_counts(tmp_path: Path) -> None:
    async with raw(ScriptedPort(), tmp_path) as wire:
        assert isinstance(wire, Raw)
        await wire.stream.send(b'{"id": 1, "method": "tools"}')
        await wire.stream.send_eof()
        assert (await wire.answer())["id"] == 1
