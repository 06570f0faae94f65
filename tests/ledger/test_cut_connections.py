from itertools import count

import anyio

from onefate.broker import Broker, BrokerSettings, Settlement, open_broker, performed
from tests.guarantees import proves
from tests.ledger.servers import Backend, needs

pytestmark = proves("wait:never-fails", "wait:no-lost-wakeup")

FIRES = 400


async def test_waiters_are_woken_however_often_connections_are_killed(
    broker: Broker, settings: BrokerSettings, backend: Backend
) -> None:
    needs(backend, "connections")
    fires = [await broker.ledger("s").record("pay", index) for index in range(FIRES)]
    woken: dict[str, Settlement] = {}
    kills = count()

    async with open_broker(settings) as waiting, open_broker(settings) as settling:

        async def waiter(fire_id: str) -> None:
            woken[fire_id] = await waiting.ledger("s").when_settled(fire_id)

        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                for fire in fires:
                    group.start_soon(waiter, fire.id)
                for index, fire in enumerate(fires):
                    if index % 20 == 0:
                        next(kills)
                        await broker.link.execute("CLIENT", "KILL", "SKIPME", "yes")
                    told = await settling.ledger("s").settle(fire.id, performed(index), by="w")
                    assert told.won
        counters = waiting.counters()
    assert {each: woken[each].data for each in woken} == {
        fire.id: index for index, fire in enumerate(fires)
    }
    assert counters["losses"] >= 1
    healed = sum(counters[each] for each in counters if each.startswith("healed_"))
    assert counters["pushed"] + healed >= FIRES


async def test_a_worker_reads_its_queue_through_killed_connections(
    broker: Broker, settings: BrokerSettings, backend: Backend
) -> None:
    needs(backend, "connections")
    taken: list[str] = []
    async with open_broker(settings) as working, working.queue("q", "w") as queue:
        with anyio.fail_after(60):
            for index in range(20):
                await broker.ledger("s").record("pay", index, queue="q")
                await broker.link.execute("CLIENT", "KILL", "SKIPME", "yes")
                while len(taken) <= index:
                    for entry in await queue.take():
                        taken.append(entry.fire_id)
                        await queue.claim(entry)
                    if len(taken) <= index:
                        await queue.wait()
    assert taken == [f"pay#{index}" for index in range(20)]
