"""A broker: one namespace of one store, opened for the length of a block.

`open_broker` checks the server, then serves ledgers, sessions over maps and work queues from one
self-healing connection. One broker belongs to one event loop.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict

from onefate.broker.ledger import checks, scripts
from onefate.broker.ledger.changes import Pins
from onefate.broker.ledger.claims import Claims
from onefate.broker.ledger.context import Context
from onefate.broker.ledger.faults import CheckFailed, StillOpen
from onefate.broker.ledger.hub import Hub
from onefate.broker.ledger.keys import SessionKeys, meta
from onefate.broker.ledger.lane import Lane, LaneLink
from onefate.broker.ledger.ledger import Ledger
from onefate.broker.ledger.link import Link
from onefate.broker.ledger.link.endpoint import Access, SingleNode
from onefate.broker.ledger.link.target import ServerTarget
from onefate.broker.ledger.nudges import Nudges
from onefate.broker.ledger.numbers import Numbers
from onefate.broker.ledger.opening import open_link
from onefate.broker.ledger.reassert import Reassertion, RestoredListener
from onefate.broker.ledger.scripts import Call
from onefate.broker.ledger.sessions import MapSession
from onefate.broker.ledger.settings import BrokerSettings
from onefate.broker.ledger.store import Store, number, text, words
from onefate.broker.ledger.work import Queue


class Broker:
    """The doors of one namespace; make one with `open_broker`."""

    def __init__(self, link: Link, settings: BrokerSettings) -> None:
        self.settings = settings
        self._store = Store(link, settings)
        self.hub = Hub(self._store)
        self._reassertion = Reassertion(self._store)
        self._context = Context(self._store, self.hub, Numbers(), Nudges(link), self._reassertion)
        self.claims = Claims(self._store, self._reassertion)

    def ledger(self, session: str) -> Ledger:
        """Give the fires of a session.

        Raises:
            BadName: the session id cannot be used.
        """
        return Ledger(self._context, session)

    def session(self, session: str, pins: Pins) -> MapSession:
        """Give the stored side of a session over a map; nothing is read yet.

        Raises:
            BadName: the session id cannot be used.
        """
        return MapSession(self._context, session, pins)

    async def pins(self, session: str) -> Pins | None:
        """Give what a session over a map was created with, None where there is no such session."""
        reply = await self._store.command(
            "HMGET", self._store.keys(session).session, "map", "options", "kind"
        )
        journey_map, options, kind = words(reply)
        return (
            None
            if kind is None
            else Pins(text(journey_map or b""), text(options or b""), text(kind))
        )

    def queue(self, name: str, worker: str, *, session: str | None = None) -> Queue:
        """Give one consumer of a queue, to be opened with `async with`.

        A worker's name is its own: two consumers of one name would read each other's history. With
        a session, only that session's work is given.

        Raises:
            BadName: a name cannot be used.
        """
        return Queue(self._context, name, worker, session=session)

    async def end(
        self, session: str, *, tables: Sequence[str] = (), logs: Sequence[str] = ()
    ) -> None:
        """End a session: its sections, tables and logs are gone, its ids are never given again.

        Settled fires stay readable for their retention.

        Raises:
            StillOpen: it has open fires; nothing was done.
        """
        keys = self._store.keys(session)
        names = (*map(keys.table, tables), *map(keys.log, logs))
        call = Call(scripts.END, [keys.session, keys.open, *names], [])
        reply = await self._store.write(lambda _: call)
        if text(reply[0]) == "open":
            raise StillOpen(session, number(reply[1]))

    def keys(self, session: str) -> SessionKeys:
        """Give the names of a session's keys."""
        return self._store.keys(session)

    @property
    def link(self) -> Link:
        """Give the connection, for whoever reads what is stored."""
        return self._store.link

    def now_ms(self) -> int:
        """Estimate the server's clock, in milliseconds since the epoch."""
        return self._store.now_ms()

    def counters(self) -> dict[str, int]:
        """Give what this broker did and met, by name; only `open` ever falls."""
        return {
            **asdict(self.hub.counters),
            "open": self.hub.open,
            "restored": self._reassertion.restored,
            "conflicts": self._reassertion.conflicts,
            **self._store.link.counters.as_dict(),
        }

    async def reassert(self) -> None:
        """Write again what was acknowledged here in the last minute and is missing from the store.

        Done without being asked whenever the store's history changed (store:honest).
        """
        await self._reassertion.assert_all()

    def on_restored(self, listener: RestoredListener) -> Callable[[], None]:
        """Call `listener` with session and fire of each settlement put back, or lost to another.

        Gives the way to stop it.
        """
        return self._reassertion.on_restored(listener)

    async def doctor(self) -> tuple[checks.Finding, ...]:
        """Give every check of the server with its result."""
        return await checks.findings(self._store)

    async def start(self) -> None:
        """Check the server and begin to sweep.

        Raises:
            CheckFailed: the server cannot carry the ledger.
        """
        await checks.require(self._store)
        seconds, micros = words(await self._store.command("TIME"))
        self._store.heard_time(number(seconds) * 1000 + number(micros) // 1000)
        if self.settings.durability in checks.REPLICATED:
            self._store.lane = await self._open_lane()
        self.hub.start()

    async def _open_lane(self) -> Lane:
        target = self.settings.target
        if not isinstance(target, ServerTarget):
            raise CheckFailed("replicas", "A private server has no replicas; name a server's URL.")
        access = Access(
            username=target.username,
            password=target.password,
            database=target.database,
            tls=await asyncio.to_thread(target.tls.context) if target.tls else None,
        )
        policy = self.settings.link_policy()
        link = await LaneLink.open(SingleNode(target.endpoint), access, policy)
        key = meta(self.settings.namespace)
        return Lane(link, key, await checks.replicas(self._store), self.settings.deadline)

    async def aclose(self) -> None:
        """End the sweep and close the connection."""
        await self.hub.aclose()
        if self._store.lane is not None:
            await self._store.lane.aclose()
        await self._store.link.aclose()


@asynccontextmanager
async def open_broker(where: str | BrokerSettings | None = None, /) -> AsyncGenerator[Broker]:
    """Open a broker on a URL, on settings, or on the private server of this user.

    Raises:
        BadSetting: the URL or a setting means nothing.
        CheckFailed: the server cannot carry the ledger.
        Refused, Unavailable: the server could not be reached as it should.
    """
    settings = where if isinstance(where, BrokerSettings) else BrokerSettings(url=where)
    broker = Broker(await open_link(settings), settings)
    try:
        await broker.start()
        yield broker
    finally:
        await broker.aclose()
