"""Many open waiters in one process: what they cost while they wait, and that all are woken.

While they wait, heartbeats run and a slow sweep reads every open id. A sweep is rarer than a run is
long, so one is asked for, and its commands are spread over the time between two.
"""

import anyio

from onefate.broker.ledger.broker import Broker
from onefate.broker.ledger.hub import SWEEP
from onefate.broker.ledger.models import performed
from onefate.workers.bench.figures import Report
from onefate.workers.bench.place import connections, place
from onefate.workers.bench.size import Size

_AT_ONCE = 500


async def waiters(url: str, size: Size) -> Report:
    """Open the waiters, leave them alone, then settle everything from another connection."""
    values: dict[str, float] = {}
    async with place(url) as here, here.broker() as settling:
        ids = await _recorded(settling, size.waiters)
        before = await connections(settling.link)
        woken: list[str] = []
        async with here.broker() as waiting, anyio.create_task_group() as group:
            for fire_id in ids:
                group.start_soon(_wait, waiting, fire_id, woken)
            await _all_wait(waiting)
            values["waiter-connections"] = await connections(settling.link) - before
            values["waiter-idle"] = await _commands_a_second(waiting, size.idle_seconds)
            await _settle(settling, ids)
        values["waiters-woken"] = 100 * len(woken) / len(ids)
    return Report(values, {"open waiters": len(ids)})


async def _wait(broker: Broker, fire_id: str, woken: list[str]) -> None:
    woken.append((await broker.ledger("many").when_settled(fire_id)).id)


async def _all_wait(broker: Broker) -> None:
    """Return once every waiter has read: its command went out before this one."""
    await anyio.wait_all_tasks_blocked()
    await broker.link.execute("PING")
    await anyio.wait_all_tasks_blocked()


async def _commands_a_second(broker: Broker, seconds: float) -> float:
    counters = broker.link.counters
    before = counters.commands
    await anyio.sleep(seconds)
    waited = counters.commands - before
    await broker.hub.resync()
    swept = counters.commands - before - waited
    return waited / seconds + swept / SWEEP


async def _recorded(broker: Broker, count: int) -> list[str]:
    ledger = broker.ledger("many")
    ids: list[str] = []

    async def one() -> None:
        ids.append((await ledger.record("pay")).id)

    for start in range(0, count, _AT_ONCE):
        async with anyio.create_task_group() as group:
            for _ in range(min(_AT_ONCE, count - start)):
                group.start_soon(one)
    return ids


async def _settle(broker: Broker, ids: list[str]) -> None:
    ledger = broker.ledger("many")

    async def one(fire_id: str) -> None:
        await ledger.settle(fire_id, performed(), by="worker")

    for start in range(0, len(ids), _AT_ONCE):
        async with anyio.create_task_group() as group:
            for fire_id in ids[start : start + _AT_ONCE]:
                group.start_soon(one, fire_id)
