"""Whole lives of fires, each kind beside the floor: recorded, performed, settled, waiter woken.

Whoever records also waits, in this process; the worker is in another, or, for `port-here`, in the
port's own. Every kind takes turns with the others, so that whatever else the machine does meets
all of them alike.
"""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, cast

from onefate.broker.door import Session, open_session
from onefate.broker.ledger.broker import Broker
from onefate.port import ServedPort, serve_to_agent
from onefate.workers.bench import app
from onefate.workers.bench.far import Far, far_process, sent
from onefate.workers.bench.figures import Report
from onefate.workers.bench.floor import FloorPort
from onefate.workers.bench.order import quantile
from onefate.workers.bench.place import Place, place
from onefate.workers.bench.size import Size

_WARM: Final = 20
_MICRO: Final = 1e6
_SHARES: Final = ((0.5, "p50"), (0.99, "p99"))
_UNDISTURBED: Final = 0.1

Live = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Kind:
    """One kind of life: how to play it, on which broker, and what it took."""

    name: str
    live: Live
    broker: Broker
    times: list[float] = field(default_factory=list[float])
    sent: int = 0
    """Commands, also the other process's."""

    async def play(self, lives: int) -> None:
        """Play some lives, one after the other."""
        before = sent(self.broker)
        for _ in range(lives):
            began = time.perf_counter()
            await self.live()
            self.times.append(time.perf_counter() - began)
        self.sent += sent(self.broker) - before

    def begin(self) -> None:
        """Count from here."""
        self.times.clear()
        self.sent = 0


async def lives(url: str, size: Size) -> Report:
    """Play every kind in turn; give ratios to the floor, and commands a life."""
    async with (
        place(url) as here,
        far_process(here) as far,
        _floor(here) as floor,
        _ledger(here) as ledger,
        _port(here) as port,
        _port_here(here) as port_here,
    ):
        kinds = [floor, ledger, port, port_here]
        for kind in kinds:
            await kind.play(_WARM)
            kind.begin()
        await _in_turn(kinds, far, size)
    return _report(floor, kinds[1:])


async def _in_turn(kinds: Sequence[Kind], far: Far, size: Size) -> None:
    before = await far.commands()
    for turn in range(size.rounds):
        first = turn % len(kinds)
        for kind in (*kinds[first:], *kinds[:first]):
            await kind.play(size.lives)
    after = await far.commands()
    for kind in kinds:
        kind.sent += after.get(kind.name, 0) - before.get(kind.name, 0)


def _report(floor: Kind, kinds: Sequence[Kind]) -> Report:
    values: dict[str, float] = {}
    for kind in kinds:
        for share, word in _SHARES:
            values[f"{kind.name}-life-{word}"] = _ratio(kind, floor, share)
        values[f"{kind.name}-commands"] = kind.sent / len(kind.times)
    return Report(values, _context(floor, kinds))


def _context(floor: Kind, kinds: Sequence[Kind]) -> Mapping[str, float]:
    """Give the floor's own times, and ratios that a busy machine disturbs less."""
    lives = len(floor.times)
    told = {"lives of each kind": float(lives), "floor's commands": floor.sent / lives}
    for share, word in _SHARES:
        told[f"floor's life {word}, µs"] = quantile(floor.times, share) * _MICRO
    for kind in kinds:
        told[f"{kind.name} life's fastest tenth against the floor's, x"] = _ratio(
            kind, floor, _UNDISTURBED
        )
    return told


def _ratio(kind: Kind, floor: Kind, share: float) -> float:
    return quantile(kind.times, share) / quantile(floor.times, share)


@asynccontextmanager
async def _floor(here: Place) -> AsyncGenerator[Kind]:
    async with here.broker() as broker:
        floor = FloorPort(broker.link, here.namespace)
        await floor.begin()
        yield Kind("floor", floor.live, broker)


@asynccontextmanager
async def _ledger(here: Place) -> AsyncGenerator[Kind]:
    async with here.broker() as broker:
        ledger = broker.ledger("ledger")

        async def live() -> None:
            fire = await ledger.record("pay", dict(app.INPUT), queue=app.LEDGER_QUEUE)
            await ledger.when_settled(fire.id)

        yield Kind("ledger", live, broker)


@asynccontextmanager
async def _port(here: Place) -> AsyncGenerator[Kind]:
    async with (
        here.broker() as broker,
        open_session(broker, app.PORT_SESSION, app.MAP, app.OPTIONS, name="port") as session,
    ):
        yield Kind("port", _calling(session), broker)


@asynccontextmanager
async def _port_here(here: Place) -> AsyncGenerator[Kind]:
    async with (
        here.broker() as broker,
        open_session(broker, "here", app.MAP, app.OPTIONS, name="port") as session,
    ):
        await session.register_handlers("app", {app.PAY: app.handler})
        await session.flush()
        yield Kind("port-here", _calling(session), broker)


def _calling(session: Session) -> Live:
    port = serve_to_agent(session)

    async def live() -> None:
        await port.when_settled(await called(port, app.PAY))

    return live


async def called(port: ServedPort, action: str) -> str:
    """Call an action, and give the id of its fire."""
    answer = await port.call("bench.do_action", {"action": action, "input": dict(app.INPUT)})
    return cast("str", answer["transitionId"])
