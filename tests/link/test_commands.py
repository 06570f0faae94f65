"""What a command meets on a link that is up."""

import asyncio
import os
import threading
import warnings
from collections.abc import Sequence
from dataclasses import replace

import anyio
import pytest

from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.errors import (
    CommandNotShared,
    LinkClosed,
    ServerRefused,
    WrongLoop,
    WrongProcess,
)
from onefate.broker.ledger.link import Reply, Script
from onefate.broker.ledger.link.endpoint import Endpoint, SingleNode
from onefate.broker.ledger.link.redis_link import RedisLink
from onefate.broker.ledger.process import HERE
from tests.guarantees import proves
from tests.link.conftest import QUICK, opened
from tests.link.proxy import Proxy

pytestmark = proves("settle:lost-reply")

ADD = Script("add", "return redis.call('INCRBY', KEYS[1], ARGV[1])")


async def test_commands_of_one_tick_leave_in_one_write(link: RedisLink, proxy: Proxy) -> None:
    before = link.counters.writes
    with anyio.fail_after(5):
        replies = await asyncio.gather(*(link.execute("INCR", "n") for _ in range(100)))
    assert replies == list(range(1, 101))
    assert link.counters.writes - before <= 2
    assert any(chunk.count(b"INCR") == 100 for chunk in proxy.chunks)


async def test_a_cancelled_caller_leaves_the_connection_to_the_others(
    link: RedisLink, proxy: Proxy
) -> None:
    with anyio.fail_after(5):
        proxy.hold()
        abandoned = asyncio.create_task(link.execute("SET", "k", "abandoned"))
        kept = asyncio.create_task(link.execute("GET", "k"))
        await proxy.seen(b"abandoned")
        abandoned.cancel()
        proxy.go_on()
        assert await kept == b"abandoned"
        with pytest.raises(asyncio.CancelledError):
            await abandoned
    assert proxy.accepted == 1


async def test_a_pipeline_answers_in_order_with_refusals_in_place(link: RedisLink) -> None:
    with anyio.fail_after(5):
        first, second, third = await link.pipeline([["SET", "k", "v"], ["INCR", "k"], ["GET", "k"]])
    assert first == b"OK"
    assert isinstance(second, ServerRefused)
    assert second.command == "INCR"
    assert third == b"v"
    assert await link.pipeline([]) == []


async def test_a_script_runs_before_and_after_the_server_forgot_it(link: RedisLink) -> None:
    with anyio.fail_after(5):
        assert await link.run(ADD, ["n"], [1]) == 1
        assert await link.run(ADD, ["n"], [2]) == 3
        assert link.counters.script_loads == 1
        await link.execute("SCRIPT", "FLUSH")
        assert await link.run(ADD, ["n"], [3]) == 6
        assert link.counters.script_loads == 2
        bad = Script("bad", "return redis.call('NOPE')")
        for _ in range(2):
            with pytest.raises(ServerRefused):
                await link.run(bad, [], [])
        assert link.counters.as_dict()["script_loads"] == 3


async def test_replies_come_in_their_resp3_shapes(link: RedisLink) -> None:
    with anyio.fail_after(5):
        await link.execute("HSET", b"h", "a", 1, "b", 2.5)
        assert await link.execute("HGETALL", "h") == {b"a": b"1", b"b": b"2.5"}
        await link.execute("ZADD", "z", 1.5, "m")
        assert await link.execute("ZSCORE", "z", "m") == 1.5
        assert await link.execute("GET", "absent") is None


@pytest.mark.parametrize(
    "command",
    [
        ["BLPOP", "q", 0],
        [b"blmove", "a", "b", "LEFT", "RIGHT", 0],
        ["WAIT", 1, 0],
        ["XREAD", "BLOCK", 0, "STREAMS", "s", "$"],
        ["xreadgroup", "GROUP", "g", "c", "block", 0, "STREAMS", "s", ">"],
        ["SUBSCRIBE", "c"],
        ["MULTI"],
        ["SELECT", 1],
    ],
)
async def test_commands_that_hold_up_everybody_are_refused(
    link: RedisLink, command: Sequence[str | bytes | int]
) -> None:
    with pytest.raises(CommandNotShared):
        await link.execute(*command)
    with pytest.raises(CommandNotShared):
        await link.pipeline([["PING"], command])


async def test_a_stream_named_block_is_no_blocking_read(link: RedisLink) -> None:
    assert await link.execute("XREAD", "COUNT", 1, "STREAMS", "BLOCK", "0") is None


async def test_callers_beyond_the_bounds_wait_and_all_are_served(server: OwnedServer) -> None:
    policy = replace(QUICK, in_flight=4, buffered=1000)
    async with opened(Endpoint(path=str(server.socket)), policy) as link:
        with anyio.fail_after(10):
            replies = await asyncio.gather(
                *(link.execute("SET", f"k{n}", b"x" * 400) for n in range(200))
            )
        assert replies == [b"OK"] * 200
        assert link.counters.held_back >= 100


async def test_bytes_that_the_server_does_not_take_hold_callers_back(
    server: OwnedServer,
) -> None:
    policy = replace(QUICK, buffered=64_000, heartbeat=30.0)
    async with opened(Endpoint(path=str(server.socket)), policy) as link:
        await anyio.to_thread.run_sync(server.pause)
        try:
            tasks = [
                asyncio.create_task(link.execute("SET", f"k{n}", b"x" * 50_000)) for n in range(100)
            ]
            with anyio.fail_after(10):
                while link.counters.held_back < 50:  # noqa: ASYNC110 - one tick, not a time
                    await asyncio.sleep(0)
        finally:
            await anyio.to_thread.run_sync(server.resume)
        with anyio.fail_after(10):
            assert await asyncio.gather(*tasks) == [b"OK"] * 100


async def test_a_fork_may_not_use_the_link(link: RedisLink) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            link.execute("PING").send(None)
        except WrongProcess as wrong:
            told = wrong.opened_in == os.getppid() and wrong.used_in == os.getpid()
            os._exit(7 if told else 8)
        finally:
            os._exit(9)
    _, status = await anyio.to_thread.run_sync(os.waitpid, child, 0)
    assert os.waitstatus_to_exitcode(status) == 7
    assert await link.execute("PING") == b"PONG"


async def test_the_process_is_told_apart_by_its_id(
    link: RedisLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = HERE.id
    with monkeypatch.context() as patch:
        patch.setattr(HERE, "id", own + 1)
        with pytest.raises(WrongProcess):
            await link.subscribe("c")


async def test_another_loop_may_not_use_the_link(link: RedisLink) -> None:
    raised: list[BaseException] = []

    async def use() -> Reply:
        return await link.execute("PING")

    def elsewhere() -> None:
        try:
            asyncio.run(use())
        except WrongLoop as wrong:
            raised.append(wrong)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    await anyio.to_thread.run_sync(thread.join)
    assert [type(each) for each in raised] == [WrongLoop]


async def test_a_closed_link_says_so_and_leaves_no_task(server: OwnedServer) -> None:
    before = asyncio.all_tasks()
    link = await RedisLink.open(SingleNode(Endpoint(path=str(server.socket))), policy=QUICK)
    waiting = asyncio.create_task(link.execute("GET", "k"))
    await waiting
    await link.aclose()
    await link.aclose()
    with pytest.raises(LinkClosed):
        await link.execute("PING")
    with pytest.raises(LinkClosed):
        await link.subscribe("c")
    assert asyncio.all_tasks() == before
