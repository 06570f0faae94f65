"""What a store that lost acknowledged writes may never do to ids and settlements."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from onefate.broker import Broker, BrokerSettings, open_broker, performed
from onefate.broker.ledger.changes import Conflict
from onefate.broker.ledger.link import Link
from onefate.broker.ledger.opening import open_link
from tests.guarantees import proves
from tests.ledger.flaky import FlakyLink
from tests.ledger.sessions import committed, firing, over_a_map, rows

pytestmark = proves("id:never-reused")


@pytest.fixture
async def turning(
    broker: Broker, settings: BrokerSettings
) -> AsyncIterator[tuple[Broker, FlakyLink]]:
    """A broker whose link can be told that the store's history changed."""
    link = FlakyLink(await open_link(settings))
    opened = Broker(link, settings)
    await opened.start()
    try:
        yield opened, link
    finally:
        await opened.aclose()
        await broker.link.execute("FLUSHALL")


async def test_another_history_begins_an_epoch(turning: tuple[Broker, FlakyLink]) -> None:
    broker, link = turning
    ledger = broker.ledger("s")
    ids = [(await ledger.record("pay")).id]
    link.other_topology = "second"
    ids += [(await ledger.record("pay")).id for _ in range(2)]
    link.other_topology = "third"
    ids.append((await broker.ledger("s").record("pay")).id)
    assert ids == ["pay#0", "pay#1.1", "pay#1.2", "pay#2.3"]
    assert [each.id for each in await ledger.awaiting()] == ids
    for each in ids:
        assert (await ledger.settle(each, performed(), by="w")).won


async def test_a_session_that_was_lost_as_a_whole_begins_in_the_new_epoch(
    turning: tuple[Broker, FlakyLink],
) -> None:
    broker, link = turning
    assert (await broker.ledger("s").record("pay")).id == "pay#0"
    await link.inner.execute("FLUSHALL")
    link.other_topology = "second"
    assert (await broker.ledger("s").record("pay")).id == "pay#1.0"


async def test_a_revision_is_never_used_twice(turning: tuple[Broker, FlakyLink]) -> None:
    broker, link = turning
    session = over_a_map(broker, "m")
    first = committed(await session.commit(rows(counter=1)))
    link.other_topology = "second"
    assert isinstance(await session.commit(rows(counter=2, revision=first.revision)), Conflict)
    loaded = await session.load(known_revision=first.revision)
    assert loaded.epoch == 1
    assert loaded.sections is not None
    second = committed(await session.commit(rows(counter=2, revision=loaded.revision)))
    await link.inner.execute("FLUSHALL")
    link.other_topology = "third"
    again = committed(await session.commit(rows(counter=1)))
    assert again.revision > second.revision > first.revision


@proves("store:honest")
async def test_what_was_acknowledged_is_put_back(broker: Broker) -> None:
    ledger = broker.ledger("s")
    still_open = await ledger.record("pay", {"n": 1})
    settled = await ledger.record("pay", {"n": 2})
    won = await ledger.settle(settled.id, performed(7), by="w")
    await broker.link.execute("FLUSHALL")
    await broker.reassert()
    assert replace(await ledger.fire(still_open.id), kept=still_open.kept) == still_open
    assert await ledger.settlement_if_known(settled.id) == won.settlement
    assert [each.id for each in await ledger.awaiting()] == [still_open.id]
    assert (await ledger.explain(settled.id)).payload == {"n": 2}
    assert broker.counters()["conflicts"] == 0
    await broker.reassert()
    assert broker.counters()["restored"] == 3
    await broker.link.execute("FLUSHALL")


@proves("store:honest", "settle:immutable")
async def test_another_winner_found_so_is_a_conflict_and_stands(
    broker: Broker, settings: BrokerSettings, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    await ledger.settle(fire.id, performed(1), by="w1")
    await _lose_the_settlement(broker.link, broker, fire.id)
    async with open_broker(settings) as other:
        second = await other.ledger("s").settle(fire.id, performed(2), by="w2")
    await broker.reassert()
    assert await ledger.settlement_if_known(fire.id) == second.settlement
    assert broker.counters()["conflicts"] == 1
    assert fire.id in caplog.text
    lost = [each for each in (await ledger.explain(fire.id)).happenings if each.kind == "lost"]
    assert [(each.by, each.detail["data"]) for each in lost] == [("w1", 1)]


@proves("fire:started-once")
async def test_a_fire_put_back_is_queued_again_only_if_it_is_repeatable(broker: Broker) -> None:
    ledger = broker.ledger("s")
    await ledger.record("pay", queue="q")
    repeatable = await ledger.record("sync", queue="q", repeatable=True)
    await broker.link.execute("FLUSHALL")
    await broker.reassert()
    async with broker.queue("q", "w") as queue:
        entries = await queue.take()
        assert [each.fire_id for each in entries] == [repeatable.id]
    await broker.link.execute("FLUSHALL")


async def test_over_a_map_numbers_are_the_machines(turning: tuple[Broker, FlakyLink]) -> None:
    broker, _ = turning
    committed(await over_a_map(broker, "m").commit(firing("pay#0", "pay#1")))
    assert (await over_a_map(broker, "m").load()).counter == 2


async def _lose_the_settlement(link: Link, broker: Broker, fire_id: str) -> None:
    keys, number = broker.keys("s"), fire_id.split("#")[1]
    await link.execute("DEL", keys.settlement(number))
    await link.execute("HSET", keys.fire(number), "s", "open")
    await link.execute("HDEL", keys.fire(number), "z")
    await link.execute("PERSIST", keys.fire(number))
