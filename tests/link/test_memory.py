"""The store in memory: one interface, shared by name, and nothing more than it is."""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator

import anyio
import pytest

from onefate.broker.ledger.errors import (
    CommandNotShared,
    LinkClosed,
    MissingExtra,
    ServerRefused,
    WrongLoop,
    WrongProcess,
)
from onefate.broker.ledger.link import Script
from onefate.broker.ledger.memory import MemoryLink
from onefate.broker.ledger.opening import open_link
from onefate.broker.ledger.process import HERE
from onefate.broker.ledger.settings import BrokerSettings
from tests.guarantees import proves

pytestmark = proves("store:declared")


@pytest.fixture
async def memory() -> AsyncIterator[MemoryLink]:
    link = await MemoryLink.open("link-suite")
    await link.execute("FLUSHALL")
    yield link
    await link.aclose()


async def test_links_of_one_name_share_data_and_messages(memory: MemoryLink) -> None:
    other = await open_link(BrokerSettings(url="memory://link-suite"))
    apart = await open_link(BrokerSettings(url="memory://link-suite-2"))
    heard: list[tuple[bytes, bytes]] = []
    other.on_push(lambda channel, payload: heard.append((channel, payload)))
    await other.subscribe("c")
    assert await memory.execute("SET", "k", 1.5) == b"OK"
    assert await other.execute("GET", "k") == b"1.5"
    assert await apart.execute("GET", "k") is None
    assert await memory.execute("PUBLISH", "c", "x") == 1
    await other.unsubscribe("c")
    assert await memory.execute("PUBLISH", "c", "y") == 0
    assert heard == [(b"c", b"x")]
    assert other.topology == memory.topology != apart.topology
    await other.aclose()
    await apart.aclose()


async def test_scripts_pipelines_and_shapes_are_those_of_a_server(memory: MemoryLink) -> None:
    add = Script("add", "return redis.call('INCRBY', KEYS[1], ARGV[1])")
    await memory.execute("SCRIPT", "FLUSH")
    assert await memory.run(add, ["n"], [2]) == 2
    assert await memory.run(add, ["n"], [2]) == 4
    assert memory.counters.script_loads == 1
    for _ in range(2):
        with pytest.raises(ServerRefused):
            await memory.run(Script("bad", "return redis.call('NOPE')"), [], [])
    first, second, third = await memory.pipeline(
        [["HSET", "h", "a", 1], ["NOPE"], ["HGETALL", "h"]]
    )
    assert (first, third) == (1, {b"a": b"1"})
    assert isinstance(second, ServerRefused)
    assert second.kind == "ERR"
    with pytest.raises(CommandNotShared):
        await memory.execute("BLPOP", "q", 0)
    with pytest.raises(CommandNotShared):
        await memory.pipeline([["WAIT", 0, 0]])


async def test_messages_cross_threads_to_the_loop_that_subscribed(memory: MemoryLink) -> None:
    heard = asyncio.Event()
    memory.on_push(lambda _, __: heard.set())
    await memory.subscribe("c")

    async def publish() -> None:
        other = await MemoryLink.open("link-suite")
        await other.execute("PUBLISH", "c", "x")
        with pytest.raises(WrongLoop):
            await memory.execute("PING")
        await other.aclose()

    thread = threading.Thread(target=lambda: asyncio.run(publish()))
    thread.start()
    with anyio.fail_after(10):
        await heard.wait()
    await anyio.to_thread.run_sync(thread.join)


async def test_a_link_left_behind_by_a_loop_that_ended_harms_nobody(memory: MemoryLink) -> None:
    async def leave() -> MemoryLink:
        return await MemoryLink.open("link-suite")

    left = await anyio.to_thread.run_sync(asyncio.run, leave())
    assert await memory.execute("PUBLISH", "c", "x") == 0
    await left.aclose()


async def test_the_process_is_told_apart_by_its_id(
    memory: MemoryLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = HERE.id
    with monkeypatch.context() as patch:
        patch.setattr(HERE, "id", own + 1)
        with pytest.raises(WrongProcess):
            await memory.execute("PING")


async def test_a_closed_link_says_so(memory: MemoryLink) -> None:
    other = await MemoryLink.open("link-suite")
    await other.aclose()
    await other.aclose()
    with pytest.raises(LinkClosed):
        await other.execute("PING")
    assert await memory.execute("PING") == b"PONG"


async def test_without_the_extra_the_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fakeredis", None)
    with pytest.raises(MissingExtra) as told:
        await MemoryLink.open("never-made")
    assert str(told.value) == "memory:// needs an optional package: install onefate[memory]."
