"""A replica takes over and lacks acknowledged writes: they are put back, or a conflict is told."""

import logging
from collections.abc import AsyncIterator

import anyio
import pytest

from onefate.broker import Broker, Settlement, open_broker, performed
from tests.chaos.places import quick, until
from tests.chaos.replicas import Pair
from tests.guarantees import proves

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
