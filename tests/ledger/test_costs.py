"""Costs that are counted, not timed: commands of a whole life, and bytes a fire takes."""

from typing import cast

import anyio

from onefate.broker import Broker, BrokerSettings, Claim, Queue, open_broker, performed
from tests.guarantees import proves
from tests.ledger.servers import Backend, needs

pytestmark = proves("store:declared")

OPEN_FIRE = 512
RETAINED = 700
FIRES = 2000


async def test_a_whole_life_takes_five_commands(broker: Broker, settings: BrokerSettings) -> None:
    ledger = broker.ledger("s")
    await ledger.settle((await ledger.record("warm")).id, performed(), by="w")
    async with open_broker(settings) as other, other.queue("q", "w") as queue:
        warm = await ledger.record("pay", {"n": 0}, queue="q")
        await _perform(other, queue)
        await ledger.when_settled(warm.id)
        await queue.take()
        before = broker.counters()["commands"] + other.counters()["commands"]
        fire = await ledger.record("pay", {"n": 1}, queue="q")
        with anyio.fail_after(5):
            async with anyio.create_task_group() as group:
                group.start_soon(ledger.when_settled, fire.id)
                await queue.wait()
                await _perform(other, queue)
        after = broker.counters()["commands"] + other.counters()["commands"]
    assert after - before <= 6


async def test_an_open_fire_and_a_receipt_are_small(broker: Broker, backend: Backend) -> None:
    needs(backend, "memory")
    ledger = broker.ledger("session-7f3a")
    empty = await _used(broker)
    ids = [(await ledger.record("checkout.place-order", queue="q")).id for _ in range(FIRES)]
    opened = await _used(broker)
    for fire_id in ids:
        await ledger.settle(
            fire_id, performed({"order": "A-1773", "total": 4200, "currency": "EUR"}), by="w"
        )
    stream = broker.keys("session-7f3a").partition.work("q")
    await broker.link.execute("XTRIM", stream, "MAXLEN", 0)
    settled = await _used(broker)
    assert (opened - empty) / FIRES <= OPEN_FIRE
    assert (settled - empty) / FIRES <= RETAINED


async def _perform(broker: Broker, queue: Queue) -> None:
    for entry in await queue.take():
        claim = await queue.claim(entry)
        assert isinstance(claim, Claim)
        await broker.ledger(claim.session).settle(
            claim.fire_id, performed(), by="w", fence=claim.fence
        )


async def _used(broker: Broker) -> int:
    info = cast("bytes", await broker.link.execute("INFO", "memory")).decode()
    dataset = next(line for line in info.splitlines() if line.startswith("used_memory:"))
    return int(dataset.split(":")[1])
