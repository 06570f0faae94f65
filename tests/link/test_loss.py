"""What a link does when its connection is lost, and what its callers are told."""

import asyncio
from contextlib import suppress
from dataclasses import replace

import anyio
import pytest

from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.errors import (
    NotSent,
    OutcomeUnknown,
    ReadOnlyReplica,
    ServerRefused,
)
from onefate.broker.ledger.link.endpoint import Access, Endpoint, SingleNode
from onefate.broker.ledger.link.redis_link import RedisLink
from tests.guarantees import proves
from tests.link.conftest import QUICK, opened
from tests.link.proxy import Proxy

pytestmark = proves("wait:never-fails", "wait:no-lost-wakeup", "settle:lost-reply")


class Heard:
    """Messages as they come, and how often the link came up."""

    def __init__(self, link: RedisLink) -> None:
        self.messages: asyncio.Queue[tuple[bytes, bytes]] = asyncio.Queue()
        self.ups: asyncio.Queue[None] = asyncio.Queue()
        link.on_push(lambda channel, payload: self.messages.put_nowait((channel, payload)))
        link.on_up(self._up)

    async def _up(self) -> None:
        self.ups.put_nowait(None)


async def test_a_lost_reply_is_an_unknown_outcome_of_what_happened(
    link: RedisLink, proxy: Proxy
) -> None:
    proxy.lose_reply(b"winner")
    with anyio.fail_after(5):
        with pytest.raises(OutcomeUnknown) as told:
            await link.execute("SET", "k", "winner", "NX")
        assert "may or may not" in str(told.value)
        assert await link.execute("GET", "k") == b"winner"
    assert (proxy.lost_replies, proxy.accepted) == (1, 2)


async def test_a_dead_peer_is_noticed_without_a_word_from_it(link: RedisLink, proxy: Proxy) -> None:
    with anyio.fail_after(10):
        proxy.swallow()
        with pytest.raises(OutcomeUnknown) as told:
            await link.execute("GET", "k")
        assert told.value.cause == "no heartbeat within 0.4 s"
        proxy.go_on()
        assert await link.execute("PING") == b"PONG"


async def test_a_slow_answer_that_arrives_in_pieces_is_no_dead_peer(
    link: RedisLink, proxy: Proxy
) -> None:
    with anyio.fail_after(10):
        beats = link.counters.heartbeats
        while link.counters.heartbeats < beats + 2:
            await link.execute("PING")
        assert proxy.accepted == 1


async def test_subscriptions_come_back_before_anyone_is_told_up(
    link: RedisLink, proxy: Proxy
) -> None:
    heard = Heard(link)
    with anyio.fail_after(10):
        await link.subscribe("a")
        await link.subscribe("b")
        await link.subscribe("gone")
        await link.unsubscribe("gone")
        for round_ in range(5):
            proxy.cut()
            await heard.ups.get()
            assert await link.execute("PUBLISH", "a", round_) == 1
            assert await link.execute("PUBLISH", "b", round_) == 1
            assert await link.execute("PUBLISH", "gone", round_) == 0
            assert await heard.messages.get() == (b"a", str(round_).encode())
            assert await heard.messages.get() == (b"b", str(round_).encode())
    assert link.counters.losses == 5
    assert link.counters.connects == 6


async def test_subscribing_outlives_the_connection_it_began_on(
    link: RedisLink, proxy: Proxy
) -> None:
    with anyio.fail_after(10):
        proxy.lose_reply(b"SUBSCRIBE")
        await link.subscribe("c")
        assert await link.execute("PUBLISH", "c", "x") == 1


async def test_many_channels_come_back_in_few_commands(link: RedisLink, proxy: Proxy) -> None:
    heard = Heard(link)
    with anyio.fail_after(20):
        await asyncio.gather(*(link.subscribe(f"c{n}") for n in range(2500)))
        before = link.counters.commands
        proxy.cut()
        await heard.ups.get()
        assert link.counters.commands - before < 20
        assert await link.execute("PUBSUB", "NUMSUB", "c0", "c2499") == [b"c0", 1, b"c2499", 1]


async def test_subscribing_and_leaving_in_any_order_ends_as_the_last_wish(
    link: RedisLink,
) -> None:
    with anyio.fail_after(10):
        await asyncio.gather(link.subscribe("c"), link.unsubscribe("c"), link.subscribe("c"))
        assert await link.execute("PUBLISH", "c", "x") == 1
        await asyncio.gather(link.unsubscribe("c"), link.subscribe("c"), link.unsubscribe("c"))
        assert await link.execute("PUBLISH", "c", "x") == 0


async def test_commands_wait_for_a_link_that_is_down(link: RedisLink, proxy: Proxy) -> None:
    with anyio.fail_after(10):
        proxy.close_door()
        proxy.cut()
        waiting = asyncio.create_task(_until_answered(link))
        await asyncio.sleep(0)
        await proxy.open_door()
        assert await waiting == b"PONG"


async def _until_answered(link: RedisLink) -> object:
    while True:
        try:
            return await link.execute("PING")
        except OutcomeUnknown:
            continue


async def test_patience_ends_in_not_sent(proxy: Proxy) -> None:
    async with opened(proxy.endpoint, replace(QUICK, patience=0.3)) as link:
        with anyio.fail_after(10):
            proxy.close_door()
            proxy.cut()
            with pytest.raises(OutcomeUnknown):
                await link.execute("PING")
            with pytest.raises(NotSent) as told:
                await link.execute("SET", "k", "v")
            assert told.value.cause == "there is no such socket"
            await proxy.open_door()
            assert await _until_answered(link) == b"PONG"
            assert await link.execute("EXISTS", "k") == 0


async def test_a_failing_listener_harms_nobody(
    link: RedisLink, proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken() -> None:
        raise ZeroDivisionError

    async def refused() -> None:
        await link.execute("NOPE")

    def broken_push(channel: bytes, payload: bytes) -> None:
        raise ZeroDivisionError(channel, payload)

    link.on_push(broken_push)
    link.on_up(broken)
    link.on_up(refused)
    heard = Heard(link)
    with anyio.fail_after(5):
        await link.subscribe("c")
        proxy.cut()
        await heard.ups.get()
        await link.execute("PUBLISH", "c", "x")
        assert await heard.messages.get() == (b"c", b"x")
    assert "a listener for messages failed" in caplog.text
    assert "a listener for reconnects failed" in caplog.text


async def test_a_restarted_server_has_another_topology_and_its_data(spare: OwnedServer) -> None:
    async with opened(Endpoint(path=str(spare.socket))) as link:
        with anyio.fail_after(20):
            first = link.topology
            await link.execute("SET", "k", "kept")
            await anyio.to_thread.run_sync(spare.kill)
            await anyio.to_thread.run_sync(spare.start)
            assert await _until_answered(link) == b"PONG"
            assert await link.execute("GET", "k") == b"kept"
            assert first != link.topology


async def test_a_server_that_becomes_a_replica_is_left(spare: OwnedServer) -> None:
    endpoint = Endpoint(host="127.0.0.1", port=spare.port)
    async with opened(endpoint, replace(QUICK, patience=0.5)) as link:
        with anyio.fail_after(20):
            await link.execute("REPLICAOF", "127.0.0.1", 1)
            with pytest.raises(NotSent) as told:
                await _write_until_not_sent(link)
            assert "read-only replica" in told.value.cause


async def _write_until_not_sent(link: RedisLink) -> None:
    while True:
        with suppress(ReadOnlyReplica, OutcomeUnknown):
            await link.execute("SET", "k", "v")


async def test_a_frozen_server_is_left_and_found_again(spare: OwnedServer) -> None:
    async with opened(Endpoint(path=str(spare.socket))) as link:
        with anyio.fail_after(20):
            await anyio.to_thread.run_sync(spare.pause)
            with pytest.raises(OutcomeUnknown):
                await link.execute("PING")
            await anyio.to_thread.run_sync(spare.resume)
            assert await _until_answered(link) == b"PONG"


async def test_opening_where_nobody_listens_says_where(server: OwnedServer) -> None:
    missing = Endpoint(path=str(server.socket) + ".missing")
    with anyio.fail_after(5), pytest.raises(NotSent) as told:
        await RedisLink.open(SingleNode(missing), policy=replace(QUICK, patience=0.2))
    assert str(missing) in str(told.value)


async def test_a_database_that_does_not_exist_is_told_at_once(server: OwnedServer) -> None:
    with anyio.fail_after(5), pytest.raises(ServerRefused) as told:
        await RedisLink.open(
            SingleNode(Endpoint(path=str(server.socket))), Access(database=99), QUICK
        )
    assert told.value.code == "WRONG_DATABASE"
