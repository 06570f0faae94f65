"""What the server keeps of a fire, open and settled, besides the bytes of its payload.

Payload is what the app and the wire decide the size of: the input, the machine's records of the
transition and of the focus it moved, and the receipt. The rest is ours: keys, fields, sets,
queues, sections, and what the server adds. A ledger's fires are of one session, a port's of
several that have a few open at once.
"""

from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from onefate.broker.door import Session, open_session
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
_FOCUS: Final = "focus"
_SESSION: Final = "session-7f3a"
_SESSIONS: Final = 25
_SHARE: Final = 4
"""Of the fires; a port's take longer to record."""

_States: TypeAlias = "tuple[tuple[float, float], tuple[float, float]]"
"""Memory and payload a fire, open and settled."""


@dataclass(frozen=True, slots=True)
class _Fire:
    """One fire, of the session it belongs to."""

    session: str
    id: str


async def memory(url: str, size: Size) -> Report:
    """Give bytes a fire, of the ledger and of the port."""
    values: dict[str, float] = {}
    context: dict[str, float] = {}
    for name, measured in (("ledger", _ledger), ("port", _port)):
        async with place(url) as here, here.broker() as broker:
            states = await measured(broker, size.fires)
        for state, (used, payload) in zip(("open", "settled"), states, strict=True):
            values[f"{name}-{state}-bytes"] = used - payload
            context[f"payload of a {name}'s {state} fire, B"] = payload
    return Report(values, context)


async def _ledger(broker: Broker, count: int) -> _States:
    ledger = broker.ledger(_SESSION)
    await ledger.settle((await ledger.record("warm")).id, performed(), by="worker")
    empty = await memory_used(broker.link)
    fires: list[_Fire] = []
    for _ in range(count):
        recorded = await ledger.record("pay", dict(app.INPUT), queue=_QUEUE)
        fires.append(_Fire(_SESSION, recorded.id))
    opened = await _each(broker, fires, empty)
    for fire in fires:
        await ledger.settle(fire.id, performed(dict(app.PRODUCED)), by="worker")
    await _unqueue(broker, [_SESSION])
    return opened, await _each(broker, fires, empty)


async def _port(broker: Broker, count: int) -> _States:
    async with AsyncExitStack() as stack:
        sessions = [await _opened(broker, stack, f"{_SESSION}{n:02}") for n in range(_SESSIONS)]
        empty = await memory_used(broker.link)
        fires = [
            _Fire(session.id, await called(serve_to_agent(session), app.HOLD))
            for session in sessions * (count // _SESSIONS // _SHARE)
        ]
        opened = await _each(broker, fires, empty)
        by_id = {session.id: session for session in sessions}
        for fire in fires:
            seen: dict[str, object] = {"source": "bank", "status": "performed"}
            await by_id[fire.session].observe_effect(fire.id, seen)
        await _unqueue(broker, by_id)
        return opened, await _each(broker, fires, empty)


async def _opened(broker: Broker, stack: AsyncExitStack, name: str) -> Session:
    """Open a session that has had a fire before, so that all it keeps for itself is there."""
    opening = open_session(broker, name, app.MAP, app.OPTIONS, name="port")
    session = await stack.enter_async_context(opening)
    await session.wire("worker", [app.HOLD], queue=_QUEUE)
    await session.flush()
    await session.reject(await called(serve_to_agent(session), app.HOLD))
    return session


async def _unqueue(broker: Broker, sessions: Iterable[str]) -> None:
    """Drop the work that nobody read, as its claims would have."""
    for work in {broker.keys(each).partition.work(_QUEUE) for each in sessions}:
        await broker.link.execute("XTRIM", work, "MAXLEN", 0)


async def _each(broker: Broker, fires: Sequence[_Fire], empty: int) -> tuple[float, float]:
    """Give memory and payload a fire, in bytes."""
    used = await memory_used(broker.link) - empty
    return used / len(fires), await _payload(broker, fires[len(fires) // 2])


async def _payload(broker: Broker, fire: _Fire) -> int:
    """Add up the documents of one fire."""
    keys, at = broker.keys(fire.session), FireId.parse(fire.id).number
    names = (keys.payload(at), keys.row(at), keys.settlement(at))
    lengths = await broker.link.pipeline([("STRLEN", name) for name in names])
    moved = await broker.link.execute("LINDEX", keys.log(_FOCUS), -1)
    return sum(cast("list[int]", lengths)) + len(cast("bytes", moved or b""))
