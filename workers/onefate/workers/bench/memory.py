"""What the server keeps of a fire, open and settled, besides the bytes of its payload.

Payload is what the app and the wire decide the size of: the input, the machine's record of the
transition and the receipt. The rest is ours: keys, fields, sets, queues, what the server adds.
"""

from collections.abc import Sequence
from typing import Final, cast

from onefate.broker.door import open_session
from onefate.broker.ledger.broker import Broker
from onefate.broker.ledger.ids import FireId
from onefate.broker.ledger.models import performed
from onefate.port import serve_to_agent
from onefate.workers.bench import app
from onefate.workers.bench.figures import Report
from onefate.workers.bench.lives import called
from onefate.workers.bench.place import memory_used, place
from onefate.workers.bench.size import Size

_QUEUE: Final = "nobody"
_SESSION: Final = "session-7f3a"


async def memory(url: str, size: Size) -> Report:
    """Give bytes a fire, of the ledger and of the port."""
    values: dict[str, float] = {}
    context: dict[str, float] = {}
    for name, measured in (
        ("ledger", await _ledger(url, size.fires)),
        ("port", await _port(url, size.fires // 4)),
    ):
        opened, settled = measured
        values[f"{name}-open-bytes"] = opened[0] - opened[1]
        values[f"{name}-settled-bytes"] = settled[0] - settled[1]
        context[f"payload of a {name}'s open fire, B"] = opened[1]
        context[f"payload of a {name}'s settlement, B"] = settled[1]
    return Report(values, context)


async def _ledger(url: str, fires: int) -> tuple[tuple[float, float], tuple[float, float]]:
    async with place(url) as here, here.broker() as broker:
        ledger = broker.ledger(_SESSION)
        await ledger.settle((await ledger.record("warm")).id, performed(), by="worker")
        empty = await memory_used(broker.link)
        ids = [(await ledger.record("pay", dict(app.INPUT), queue=_QUEUE)).id for _ in range(fires)]
        opened = await _each(broker, ids, empty)
        for fire_id in ids:
            await ledger.settle(fire_id, performed(dict(app.PRODUCED)), by="worker")
        await _unqueue(broker)
        return opened, await _each(broker, ids, empty)


async def _port(url: str, fires: int) -> tuple[tuple[float, float], tuple[float, float]]:
    async with (
        place(url) as here,
        here.broker() as broker,
        open_session(broker, _SESSION, app.MAP, app.OPTIONS, name="port") as session,
    ):
        await session.wire("worker", [app.HOLD], queue=_QUEUE)
        await session.flush()
        port = serve_to_agent(session)
        warm = await called(port, app.HOLD)
        await session.reject(warm)
        empty = await memory_used(broker.link)
        ids = [await called(port, app.HOLD) for _ in range(fires)]
        opened = await _each(broker, ids, empty)
        for fire_id in ids:
            await session.observe_effect(fire_id, {"source": "bank", "status": "performed"})
        await _unqueue(broker)
        return opened, await _each(broker, ids, empty)


async def _unqueue(broker: Broker) -> None:
    """Drop the work that nobody read, as its claims would have."""
    await broker.link.execute("XTRIM", broker.keys(_SESSION).partition.work(_QUEUE), "MAXLEN", 0)


async def _each(broker: Broker, ids: Sequence[str], empty: int) -> tuple[float, float]:
    """Give memory and payload a fire, in bytes."""
    used = await memory_used(broker.link) - empty
    return used / len(ids), await _payload(broker, ids[len(ids) // 2])


async def _payload(broker: Broker, fire_id: str) -> int:
    """Add up the documents of one fire."""
    keys = broker.keys(_SESSION)
    at = FireId.parse(fire_id).number
    names = (keys.payload(at), keys.row(at), keys.settlement(at))
    lengths = await broker.link.pipeline([("STRLEN", name) for name in names])
    return sum(cast("list[int]", lengths))
