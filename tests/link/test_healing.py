"""The owner of the connection: addresses that move, wishes that change meanwhile, odd servers."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import anyio
import pytest

from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.errors import (
    EmbeddedRefused,
    LinkClosed,
    NotSent,
    OutcomeUnknown,
    PermissionDenied,
    ServerTooOld,
    TlsRefused,
)
from onefate.broker.ledger.link.endpoint import Access, Endpoint, SingleNode
from onefate.broker.ledger.link.redis_link import RedisLink
from onefate.broker.ledger.link.target import TlsOptions
from tests.guarantees import proves
from tests.link.conftest import QUICK, opened
from tests.link.proxy import Proxy
from tests.servers import embedded_server

pytestmark = proves("wait:never-fails", "wait:no-lost-wakeup")


@dataclass
class Moving:
    """A resolver whose answer a test changes."""

    endpoint: Endpoint
    troubles: list[Exception] = field(default_factory=list[Exception])
    failover: bool = True
    label: str = "a moving target"

    async def locate(self) -> Endpoint:
        if self.troubles:
            raise self.troubles.pop(0)
        return self.endpoint

    async def moved(self, endpoint: Endpoint) -> bool:
        return endpoint != self.endpoint


@pytest.fixture
def other() -> Iterator[OwnedServer]:
    with embedded_server() as started:
        yield started


@pytest.fixture
def debugged() -> Iterator[OwnedServer]:
    with embedded_server(tcp=True, config={"enable-debug-command": "yes"}) as started:
        yield started


async def beats(link: RedisLink, count: int) -> None:
    """Return once the link has asked so many times more."""
    until = link.counters.heartbeats + count
    while link.counters.heartbeats < until:  # noqa: ASYNC110 - the link beats by itself
        await asyncio.sleep(0.01)


async def ask_until_answered(link: RedisLink, *command: str) -> object:
    while True:
        try:
            return await link.execute(*command)
        except OutcomeUnknown:
            continue


async def test_the_link_follows_the_data_to_another_address(
    spare: OwnedServer, other: OwnedServer
) -> None:
    resolver = Moving(Endpoint(path=str(spare.socket)))
    with anyio.fail_after(20):
        link = await RedisLink.open(resolver, policy=QUICK)
        try:
            first = link.topology
            await link.subscribe("c")
            resolver.endpoint = Endpoint(path=str(other.socket))
            while link.topology == first:  # noqa: ASYNC110 - the link beats by itself
                await asyncio.sleep(0.01)
            assert await ask_until_answered(link, "PUBLISH", "c", "x") == 1
            assert link.counters.connects == 2
        finally:
            await link.aclose()


async def test_an_idle_link_leaves_a_server_that_becomes_a_replica(spare: OwnedServer) -> None:
    endpoint = Endpoint(host="127.0.0.1", port=spare.port)
    async with opened(endpoint) as link, opened(Endpoint(path=str(spare.socket))) as admin:
        with anyio.fail_after(20):
            await beats(link, 1)
            await admin.execute("REPLICAOF", "127.0.0.1", 1)
            while not link.counters.losses:  # noqa: ASYNC110 - the link beats by itself
                await asyncio.sleep(0.01)
            await admin.execute("REPLICAOF", "NO", "ONE")
            assert await ask_until_answered(link, "PING") == b"PONG"


async def test_an_idle_link_hears_that_a_master_took_another_replication_id(
    debugged: OwnedServer,
) -> None:
    async with opened(Endpoint(host="127.0.0.1", port=debugged.port)) as link:
        first = link.topology
        await link.execute("DEBUG", "CHANGE-REPL-ID")
        with anyio.fail_after(20):
            await beats(link, 2)
        assert link.topology not in ("", first)
        assert link.counters.losses == 0


async def test_a_link_that_may_not_ask_for_the_role_still_beats(spare: OwnedServer) -> None:
    endpoint = Endpoint(host="127.0.0.1", port=spare.port)
    async with opened(endpoint) as admin:
        with anyio.fail_after(20):
            await admin.execute(
                "ACL", "SETUSER", "few", "on", ">pw", "~*", "+@all", "-role", "-info"
            )
            access = Access(username="few", password="pw")
            link = await RedisLink.open(SingleNode(endpoint), access, QUICK)
            await beats(link, 3)
            assert link.counters.losses == 0
            await link.aclose()


async def test_addresses_that_cannot_be_found_yet_are_asked_for_again(
    server: OwnedServer, caplog: pytest.LogCaptureFixture
) -> None:
    troubles: list[Exception] = [OSError("no"), NotSent("h", 1.0, "down"), ZeroDivisionError()]
    resolver = Moving(Endpoint(path=str(server.socket)), troubles)
    with anyio.fail_after(10):
        link = await RedisLink.open(resolver, policy=QUICK)
        assert await link.execute("PING") == b"PONG"
        await link.aclose()
    assert "met what it does not know" in caplog.text


async def test_what_waiting_does_not_mend_is_told_at_once(server: OwnedServer) -> None:
    resolver = Moving(Endpoint(path=str(server.socket)), [EmbeddedRefused("no binary")])
    with anyio.fail_after(5), pytest.raises(EmbeddedRefused):
        await RedisLink.open(resolver, policy=replace(QUICK, patience=60.0))


async def test_a_wish_that_changes_while_the_link_comes_up_is_kept(
    link: RedisLink, proxy: Proxy
) -> None:
    with anyio.fail_after(10):
        await link.subscribe("left")
        await link.subscribe("kept")
        proxy.chunks.clear()
        proxy.hold_from(b"SUBSCRIBE")
        proxy.cut()
        await proxy.seen(b"SUBSCRIBE")
        await link.unsubscribe("left")
        late = asyncio.create_task(link.subscribe("late"))
        await asyncio.sleep(0)
        proxy.go_on()
        await late
        numbers = await link.execute("PUBSUB", "NUMSUB", "left", "kept", "late")
        assert numbers == [b"left", 0, b"kept", 1, b"late", 1]


async def test_who_leaves_while_subscribing_is_not_subscribed(
    link: RedisLink, proxy: Proxy
) -> None:
    with anyio.fail_after(10):
        proxy.hold_from(b"SUBSCRIBE")
        coming = asyncio.create_task(link.subscribe("c"))
        await proxy.seen(b"SUBSCRIBE")
        going = asyncio.create_task(link.unsubscribe("c"))
        await proxy.seen(b"UNSUBSCRIBE")
        proxy.cut()
        proxy.go_on()
        await asyncio.gather(coming, going)
        assert await link.execute("PUBLISH", "c", "x") == 0


async def test_leaving_a_channel_outlives_the_connection(link: RedisLink, proxy: Proxy) -> None:
    with anyio.fail_after(10):
        await link.subscribe("c")
        await link.subscribe("c")
        proxy.lose_reply(b"UNSUBSCRIBE")
        await link.unsubscribe("c")
        await link.unsubscribe("c")
        assert await link.execute("PUBLISH", "c", "x") == 0


async def test_a_channel_that_became_forbidden_is_told_to_callers(
    spare: OwnedServer,
) -> None:
    endpoint = Endpoint(path=str(spare.socket))
    async with opened(endpoint) as admin, opened(endpoint) as link:
        with anyio.fail_after(10):
            await link.subscribe("c")
            await admin.execute("ACL", "SETUSER", "default", "resetchannels")
            with pytest.raises(PermissionDenied):
                await ask_until_answered(link, "PING")
            await admin.execute("ACL", "SETUSER", "default", "allchannels")


async def test_callers_held_back_on_a_lost_connection_go_to_the_next(proxy: Proxy) -> None:
    async with opened(proxy.endpoint, replace(QUICK, in_flight=1, heartbeat=30.0)) as link:
        with anyio.fail_after(10):
            proxy.hold()
            tasks = [asyncio.create_task(link.execute("INCR", "n")) for _ in range(3)]
            await proxy.seen(b"INCR")
            proxy.cut()
            proxy.go_on()
            with pytest.raises(OutcomeUnknown):
                await tasks[0]
            assert sorted(map(str, await asyncio.gather(*tasks[1:]))) == ["2", "3"]


async def test_held_back_for_the_whole_patience_is_not_sent(proxy: Proxy) -> None:
    policy = replace(QUICK, in_flight=1, patience=0.2, heartbeat=30.0)
    async with opened(proxy.endpoint, policy) as link:
        with anyio.fail_after(10):
            proxy.hold()
            first = asyncio.create_task(link.execute("PING"))
            await proxy.seen(b"PING")
            await asyncio.sleep(0)
            with pytest.raises(NotSent) as told:
                await link.pipeline([["PING"]])
            assert told.value.cause == "it takes no more commands"
            proxy.go_on()
            assert await first == b"PONG"


async def test_closing_ends_everyone_who_waits(proxy: Proxy) -> None:
    async with opened(proxy.endpoint) as link:
        with anyio.fail_after(10):
            proxy.close_door()
            proxy.cut()
            with pytest.raises(OutcomeUnknown):
                await link.execute("PING")
            waiting = (
                asyncio.create_task(link.execute("PING")),
                asyncio.create_task(link.pipeline([["PING"]])),
                asyncio.create_task(link.subscribe("c")),
            )
            await asyncio.sleep(0)
            await link.aclose()
            for each in waiting:
                with pytest.raises(LinkClosed):
                    await each


async def test_the_server_says_what_it_is(link: RedisLink) -> None:
    assert link.facts.engine in {"redis", "valkey"}
    assert link.facts.mode == "standalone"
    assert link.facts.replication_id == link.topology
    assert int(link.facts.version.partition(".")[0]) >= 7


@asynccontextmanager
async def talker(*words: bytes) -> AsyncGenerator[Endpoint]:
    """A server that answers each write with the next words, and the last ones from then on."""
    writers: list[asyncio.StreamWriter] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        left = list(words)
        while await reader.read(1 << 16):
            writer.write(left.pop(0) if left[1:] else left[0])
        writer.close()

    listener = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield Endpoint("127.0.0.1", int(listener.sockets[0].getsockname()[1]))
    finally:
        listener.close()
        for writer in writers:
            writer.transport.abort()


@pytest.mark.parametrize("words", [b"-ERR unknown command 'HELLO'\r\n", b"+OK\r\n"])
async def test_a_server_without_resp3_is_told_at_once(words: bytes) -> None:
    with anyio.fail_after(5):
        async with talker(words) as endpoint:
            with pytest.raises(ServerTooOld):
                await RedisLink.open(SingleNode(endpoint), policy=QUICK)


async def test_a_server_that_says_nothing_is_told_after_the_patience() -> None:
    with anyio.fail_after(5):
        async with talker(b"") as endpoint:
            with pytest.raises(NotSent) as told:
                await RedisLink.open(
                    SingleNode(endpoint), policy=replace(QUICK, deadline=0.1, patience=0.5)
                )
            assert told.value.cause == "no answer within 0.1 s"


async def test_a_server_that_speaks_another_protocol_is_told() -> None:
    context = await anyio.to_thread.run_sync(TlsOptions(cert_reqs="none").context)
    with anyio.fail_after(5):
        async with talker(b"HTTP/1.1 400 Bad Request\r\n\r\n") as endpoint:
            with pytest.raises(NotSent) as told:
                await RedisLink.open(SingleNode(endpoint), policy=replace(QUICK, patience=0.3))
            assert told.value.cause == "the server sent something that is not RESP3"
            with pytest.raises(TlsRefused):
                await RedisLink.open(SingleNode(endpoint), Access(tls=context), QUICK)


async def test_a_connection_lost_in_the_step_that_entered_it_is_never_used() -> None:
    hello = b"%2\r\n+role\r\n+master\r\n+server\r\n+redis\r\n"
    with anyio.fail_after(5):
        async with talker(hello, b"+PONG\r\n+info\r\n+unasked\r\n") as endpoint:
            with pytest.raises(NotSent) as told:
                await RedisLink.open(SingleNode(endpoint), policy=replace(QUICK, patience=0.3))
            assert told.value.cause == "the server spoke unasked: a reply"
