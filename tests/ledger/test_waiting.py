from collections.abc import Sequence
from dataclasses import replace

import anyio
import pytest

from onefate.broker import Broker, BrokerSettings, Settlement, open_broker, performed
from onefate.broker.errors import BadInput, NeverExisted
from tests.guarantees import proves
from tests.ledger.servers import Backend, needs

pytestmark = proves("wait:never-fails")


async def test_waiters_of_another_broker_are_woken_by_the_announcement(
    broker: Broker, settings: BrokerSettings
) -> None:
    ledger = broker.ledger("s")
    fires = [await ledger.record("pay", index) for index in range(100)]
    woken: list[Settlement] = []
    async with open_broker(settings) as other:

        async def waiter(fire_id: str) -> None:
            woken.append(await other.ledger("s").when_settled(fire_id))

        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                for fire in fires:
                    group.start_soon(waiter, fire.id)
                while other.hub.open < len(fires):
                    await anyio.lowlevel.checkpoint()
                for fire in fires:
                    await ledger.settle(fire.id, performed(fire.id), by="w")
        counters = other.counters()
    assert {each.id for each in woken} == {fire.id for fire in fires}
    assert all(each.data == each.id for each in woken)
    assert counters["pushed"] + counters["healed_by_read"] == 100
    assert counters["open"] == 0


async def test_a_receipt_too_large_to_announce_is_read(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    woken: list[Settlement] = []

    async def waiter() -> None:
        woken.append(await ledger.when_settled(fire.id))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(waiter)
            group.start_soon(waiter)
            await _until_open(broker, 1)
            await ledger.settle(fire.id, performed("x" * 5000), by="w")
    assert [len(str(each.data)) for each in woken] == [5000, 5000]


@proves("settle:no-clock")
async def test_a_deadline_ends_the_wait_and_nothing_else(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    with anyio.move_on_after(0.05) as scope:
        await ledger.when_settled(fire.id)
    assert scope.cancelled_caught
    assert broker.hub.open == 0
    assert await ledger.settlement_if_known(fire.id) is None
    assert (await ledger.settle(fire.id, performed(), by="w")).won


@proves("wait:no-lost-wakeup")
async def test_a_missed_announcement_is_healed_by_reading_again(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fires = [await ledger.record("pay") for _ in range(20)]
    found: list[tuple[Settlement, ...]] = []

    async def waiter(ids: Sequence[str]) -> None:
        found.append(await ledger.all_of(ids))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(waiter, [fire.id for fire in fires])
            await _until_open(broker, 20)
            await broker.link.unsubscribe(broker.keys("s").partition.wake)
            for fire in fires:
                await ledger.settle(fire.id, performed(), by="w")
            assert not found
            await broker.hub.resync()
    assert [each.id for each in found[0]] == [fire.id for fire in fires]
    assert broker.counters()["healed_by_resync"] == 20


@proves("id:impossible-raises")
async def test_one_impossible_id_ends_the_whole_wait(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    with anyio.fail_after(5):
        with pytest.raises(NeverExisted):
            await ledger.all_of([fire.id, "pay#9"])
        with pytest.raises(NeverExisted):
            await ledger.any_of([fire.id, "pay#9"])
        with pytest.raises(BadInput):
            await ledger.any_of([])
    assert await ledger.all_of([]) == ()


async def test_any_of_gives_the_first_that_settled(broker: Broker) -> None:
    ledger = broker.ledger("s")
    one, two = await ledger.record("a"), await ledger.record("b")
    won = await ledger.settle(two.id, performed(), by="w")
    with anyio.fail_after(5):
        assert await ledger.any_of([one.id, two.id]) == won.settlement


async def test_many_waiters_cost_one_connection_and_nothing_while_idle(
    broker: Broker, backend: Backend, settings: BrokerSettings
) -> None:
    needs(backend, "connections")
    fires = [await broker.ledger("s").record("pay") for _ in range(500)]
    seen: list[dict[str, int]] = []
    async with (
        open_broker(replace(settings, heartbeat=0.02)) as idle,
        anyio.create_task_group() as group,
    ):
        for fire in fires:
            group.start_soon(idle.ledger("s").when_settled, fire.id)
        await _until_open(idle, 500)
        seen += [await _after_heartbeats(idle, 2), await _after_heartbeats(idle, 5)]
        group.cancel_scope.cancel()
    before, after = seen
    beats = after["heartbeats"] - before["heartbeats"]
    assert after["commands"] - before["commands"] <= beats + 1
    assert after["connects"] == 1


async def _after_heartbeats(broker: Broker, count: int) -> dict[str, int]:
    last = broker.counters()["heartbeats"] + count
    with anyio.fail_after(10):
        while broker.counters()["heartbeats"] < last:
            await anyio.lowlevel.checkpoint()
    return broker.counters()


async def _until_open(broker: Broker, count: int) -> None:
    """Returns once so many ids are waited for and each has been read."""
    with anyio.fail_after(10):
        while broker.hub.open < count:
            await anyio.lowlevel.checkpoint()
        for _ in range(3):
            await broker.link.execute("PING")
