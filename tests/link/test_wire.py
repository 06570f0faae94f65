"""One connection, byte by byte."""

import asyncio
from dataclasses import replace

import anyio
import hiredis
import pytest

from onefate.broker.ledger.errors import OutcomeUnknown
from onefate.broker.ledger.link import LinkCounters
from onefate.broker.ledger.link.wire import Wire
from tests.guarantees import proves
from tests.link.conftest import QUICK

pytestmark = proves("wait:no-lost-wakeup")


class Sink(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.aborted = False
        self.limit: int | None = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self.limit = high if low is None else low

    def abort(self) -> None:
        self.aborted = True


class Bench:
    """A wire, its transport, and the messages it passed on."""

    def __init__(self, in_flight: int = 100) -> None:
        self.messages: list[tuple[bytes, bytes]] = []
        self.counters = LinkCounters()
        policy = replace(QUICK, in_flight=in_flight, buffered=1000)
        self.wire = Wire("test", policy, self.counters, self._message)
        self.sink = Sink()
        self.wire.connection_made(self.sink)

    def _message(self, channel: bytes, payload: bytes) -> None:
        self.messages.append((channel, payload))


@pytest.fixture
async def bench() -> Bench:
    return Bench()


async def test_replies_split_anywhere_reach_their_commands(bench: Bench) -> None:
    first, second = bench.wire.send(["GET", "a"]), bench.wire.send(["GET", "b"])
    for byte in b"$3\r\none\r\n$3\r\ntwo\r\n":
        bench.wire.data_received(bytes([byte]))
    assert (first.result(), second.result()) == (b"one", b"two")


async def test_messages_between_replies_go_to_the_listener(bench: Bench) -> None:
    reply = bench.wire.send(["GET", "a"])
    bench.wire.data_received(
        b">3\r\n+message\r\n+c\r\n+hello\r\n+one\r\n>2\r\n+invalidate\r\n_\r\n"
    )
    assert bench.messages == [(b"c", b"hello")]
    assert reply.result() == b"one"
    assert bench.counters.pushes == 1


async def test_a_subscription_is_confirmed_by_its_own_pushes_only(bench: Bench) -> None:
    both = bench.wire.subscribe(["a", "b"])
    after = bench.wire.send(["PING"])
    bench.wire.data_received(b">3\r\n+subscribe\r\n+a\r\n:1\r\n")
    assert not both.done()
    bench.wire.data_received(
        b">3\r\n+message\r\n+a\r\n+x\r\n>3\r\n+subscribe\r\n+b\r\n:2\r\n+PONG\r\n"
    )
    assert both.done()
    assert after.result() == b"PONG"
    assert set(bench.wire.subscribed) == {"a", "b"}


async def test_a_refused_subscription_is_answered_by_the_error(bench: Bench) -> None:
    refused = bench.wire.subscribe(["a"])
    bench.wire.data_received(b"-NOPERM no\r\n")
    assert isinstance(refused.result(), hiredis.ReplyError)


async def test_a_subscription_the_server_ends_ends_the_connection(bench: Bench) -> None:
    confirmed = bench.wire.subscribe(["a"])
    bench.wire.data_received(b">3\r\n+subscribe\r\n+a\r\n:1\r\n")
    await confirmed
    bench.wire.data_received(b">3\r\n+unsubscribe\r\n+a\r\n:0\r\n")
    assert bench.wire.lost.result() == "the server ended a subscription"
    assert bench.sink.aborted


@pytest.mark.parametrize("data", [b"+unasked\r\n", b"?nonsense\r\n"])
async def test_what_no_command_asked_for_ends_the_connection(bench: Bench, data: bytes) -> None:
    bench.wire.data_received(data)
    assert bench.wire.lost.done()


async def test_loss_fails_everything_open_and_all_that_follows(bench: Bench) -> None:
    open_commands = [
        bench.wire.send(["SET", "a", "1"]),
        bench.wire.subscribe(["c"]),
    ]
    several = bench.wire.send_all([["PING"], ["PING"]])
    bench.wire.data_received(b"+OK\r\n")
    bench.wire.connection_lost(ConnectionResetError("reset"))
    bench.wire.connection_lost(None)
    assert open_commands[0].result() == b"OK"
    for future in (open_commands[1], several, bench.wire.send(["PING"])):
        with pytest.raises(OutcomeUnknown) as told:
            await future
        assert told.value.cause == "reset"
    assert not await bench.wire.room()
    assert bench.sink.written == []


async def test_half_a_pipeline_answered_is_unknown_as_a_whole(bench: Bench) -> None:
    several = bench.wire.send_all([["SET", "a", "1"], ["SET", "b", "1"]])
    bench.wire.data_received(b"+OK\r\n")
    bench.wire.connection_lost(None)
    with pytest.raises(OutcomeUnknown):
        await several


async def test_answers_nobody_waits_for_are_dropped_in_order(bench: Bench) -> None:
    several = bench.wire.send_all([["PING"], ["PING"]])
    confirmed = bench.wire.unsubscribe(["c"])
    last = bench.wire.send(["GET", "a"])
    several.cancel()
    confirmed.cancel()
    bench.wire.data_received(b"+PONG\r\n+PONG\r\n>3\r\n+unsubscribe\r\n+c\r\n:0\r\n+last\r\n")
    assert last.result() == b"last"


async def test_a_turn_given_to_a_cancelled_caller_passes_on() -> None:
    bench = Bench(in_flight=1)
    bench.wire.send(["PING"])
    first, second = (asyncio.create_task(bench.wire.room()) for _ in range(2))
    await asyncio.sleep(0)
    assert not bench.wire.has_room()
    bench.wire.data_received(b"+PONG\r\n")
    first.cancel()
    with anyio.fail_after(5):
        assert await second
    assert first.cancelled()


async def test_a_caller_whose_turn_was_taken_keeps_its_place() -> None:
    bench = Bench(in_flight=1)
    bench.wire.send(["PING"])
    first, second = (asyncio.create_task(bench.wire.room()) for _ in range(2))
    await asyncio.sleep(0)
    bench.wire.data_received(b"+PONG\r\n")
    bench.wire.send(["PING"])
    await asyncio.sleep(0)
    assert not first.done()
    bench.wire.data_received(b"+PONG\r\n")
    with anyio.fail_after(5):
        assert await first
    assert not second.done()
    bench.wire.lose("end")
    assert not await second


async def test_a_socket_that_takes_no_more_holds_callers_back(bench: Bench) -> None:
    assert bench.sink.limit == 1000
    bench.wire.pause_writing()
    turn = asyncio.create_task(bench.wire.room())
    await asyncio.sleep(0)
    assert not bench.wire.has_room()
    bench.wire.resume_writing()
    assert await turn


async def test_a_tick_that_is_full_holds_the_next_caller_until_its_write(bench: Bench) -> None:
    bench.wire.send(["SET", "a", "x" * 2000])
    assert not bench.wire.has_room()
    assert await bench.wire.room()
    assert len(bench.sink.written) == 1
