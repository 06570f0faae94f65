"""A replica takes over and lacks acknowledged writes: they are put back, or a conflict is told."""

import logging
from collections.abc import AsyncIterator

import anyio
import anyio.to_thread
import pytest

from onefate.broker import (
    Broker,
    BrokerSettings,
    Claim,
    Durability,
    Entry,
    Settlement,
    open_broker,
    performed,
)
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.embedded.probe import ask
from tests.chaos.places import quick, until
from tests.chaos.replicas import Pair
from tests.guarantees import proves
from tests.ledger.sessions import committed, firing, over_a_map, performed_by, settling

pytestmark = [proves("store:honest", "id:never-reused"), pytest.mark.timeout(120)]


@pytest.fixture
async def broker(pair: Pair) -> AsyncIterator[Broker]:
    async with open_broker(quick(pair.proxy.url)) as opened:
        yield opened


async def moved(pair: Pair, broker: Broker) -> None:
    """The broker is led to the new server and has put back what it knows of."""
    await pair.move()
    restored = broker.counters()["restored"] + broker.counters()["conflicts"]
    await until(lambda: broker.counters()["restored"] + broker.counters()["conflicts"] > restored)
    await broker.reassert()


@proves("settle:immutable", "wait:never-fails")
async def test_acknowledged_settlements_that_were_lost_are_put_back(
    pair: Pair, broker: Broker
) -> None:
    ledger = broker.ledger("s")
    fires = [await ledger.record("pay", index) for index in range(20)]
    await pair.promote()
    told = [(await ledger.settle(fire.id, performed(fire.id), by="w")).settlement for fire in fires]
    late = await ledger.record("pay", "late")
    woken: list[Settlement] = []

    async def wait() -> None:
        woken.append(await ledger.when_settled(late.id))

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        await until(lambda: broker.hub.open == 1)
        await moved(pair, broker)
        async with open_broker(quick(pair.new.url)) as other:
            for settlement in told:
                assert await other.ledger("s").settlement_if_known(settlement.id) == settlement
            assert [fire.id for fire in await other.ledger("s").awaiting()] == [late.id]
            again = await other.ledger("s").settle(fires[0].id, performed("other"), by="other")
            assert (again.won, again.settlement) == (False, told[0])
            last = await other.ledger("s").settle(late.id, performed(), by="other")
            await until(lambda: bool(woken))
            assert woken == [last.settlement]
    assert broker.counters()["restored"] == len(fires) + 1
    assert broker.counters()["conflicts"] == 0


@proves("settle:first-wins", "settle:immutable")
async def test_another_winner_on_the_new_server_is_a_reported_conflict(
    pair: Pair, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    await pair.promote()
    assert (await ledger.settle(fire.id, performed("old"), by="here")).won
    async with open_broker(quick(pair.new.url)) as other:
        second = await other.ledger("s").settle(fire.id, performed("new"), by="there")
        assert second.won
        with caplog.at_level(logging.WARNING, "onefate.ledger"):
            await moved(pair, broker)
        assert broker.counters()["conflicts"] >= 1
        assert fire.id in caplog.text
        assert await ledger.settlement_if_known(fire.id) == second.settlement
        life = await other.ledger("s").explain(fire.id)
    kept = [(each.kind, each.by) for each in life.happenings if each.kind == "lost"]
    assert kept == [("lost", "here")]


async def test_an_id_given_out_by_the_old_server_is_never_given_again(
    pair: Pair, broker: Broker
) -> None:
    ledger = broker.ledger("s")
    kept = [(await ledger.record("pay")).id for _ in range(3)]
    await pair.promote()
    lost = [(await ledger.record("pay")).id for _ in range(3)]
    async with open_broker(quick(pair.proxy.url)) as dying:
        lost += [(await dying.ledger("s").record("pay")).id for _ in range(3)]
    async with open_broker(quick(pair.new.url)) as early:
        minted = [(await early.ledger("s").record("pay")).id for _ in range(5)]
        await moved(pair, broker)
        minted += [(await ledger.record("pay")).id for _ in range(5)]
        minted += [(await early.ledger("s").record("pay")).id for _ in range(5)]
    every = [*kept, *lost, *minted]
    assert len(set(every)) == len(every)
    standing = {fire.id for fire in await ledger.awaiting()}
    assert standing == {*kept, *lost[:3], *minted}


@proves("fire:started-once")
async def test_a_claim_that_was_lost_is_made_again(pair: Pair, broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay", queue="q")
    async with broker.queue("q", "w1") as queue:
        (entry,) = await queue.take()
        await pair.promote()
        claim = await queue.claim(entry)
        assert isinstance(claim, Claim)
        await pair.move()
        await until(lambda: broker.counters()["connects"] > 1)
        await broker.reassert()
    async with open_broker(quick(pair.new.url)) as other:
        started = (await other.ledger("s").fire(fire.id)).started
        assert started is not None
        assert (started.by, started.attempt) == ("w1", claim.attempt)
        async with other.queue("q", "w2") as queue:
            assert await queue.take() == []
        assert (await other.ledger("s").settle(fire.id, performed(), by="w1", fence=1)).won


@proves("fire:started-once")
async def test_a_second_start_on_the_new_server_is_a_reported_conflict(
    pair: Pair, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    fire = await broker.ledger("s").record("pay")
    entry = Entry("q", 0, "", "s", fire.id)
    await pair.promote()
    assert isinstance(await broker.claims.claim(entry, "w1", lease_ms=1), Claim)
    async with open_broker(quick(pair.new.url)) as other:
        assert isinstance(await other.claims.claim(entry, "w2", lease_ms=1), Claim)
        with caplog.at_level(logging.WARNING, "onefate.ledger"):
            await pair.move()
            await until(lambda: broker.counters()["conflicts"] > 0)
    assert f"another worker started {fire.id}" in caplog.text


async def test_where_replicas_are_waited_for_claims_and_commits_have_reached_them(
    servers: tuple[OwnedServer, OwnedServer],
) -> None:
    old, new = servers
    waiting = BrokerSettings(url=old.url, durability=Durability.REPLICATED, deadline=1.0)
    async with open_broker(waiting) as broker:
        done = committed(await over_a_map(broker, "m").commit(firing("pay#0", queue="q")))
        assert done.kept.confirmed
        async with broker.queue("q", "w") as queue:
            (entry,) = await queue.take()
            assert isinstance(await queue.claim(entry), Claim)
        key = broker.keys("m").fire("0")
        asked = await anyio.to_thread.run_sync(ask, new.socket, f"HGET {key} c\r\n".encode())
        assert asked == b"$1\r\n1\r\n"
        await anyio.to_thread.run_sync(new.kill)
        late = settling([performed_by("pay#0")], revision=done.revision, counter=1)
        assert not committed(await over_a_map(broker, "m").commit(late)).kept.confirmed
