"""A session over a map, shared by any number of processes through one store.

Theory of operation
1. `open_session` creates the session or attaches to it. Its map and options are pinned at creation;
   opening it over another map or with other options is refused by name.
2. Every door is one decision of the pure machine, committed as a whole (`deciding`).
3. A structure change is flushed in a decision of its own, soon after; whoever finds one that waits
   flushes it, so a process that dies in between delays it and loses nothing.
4. Handlers registered here are performed by a worker beside the session, from a queue that only
   this process reads. It is the same worker that runs in processes of its own.
"""

import json
import logging
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Final, Self, TypeVar, cast

import anyio

from onefate.broker.door.app import AppDoors
from onefate.broker.door.deciding import Clock, Decided, Deciding
from onefate.broker.door.errors import NoSuchSession
from onefate.broker.door.kept import LOGS, TABLES, Own, Performed
from onefate.broker.door.outcomes import SessionOutcomes
from onefate.broker.door.people import PeopleDoors
from onefate.broker.door.queues import queue_name
from onefate.broker.door.reading import ReadingDoors
from onefate.broker.door.views import PrincipalView
from onefate.broker.door.wiring import LocalHandlers, WiringDoors
from onefate.broker.errors import ImpossibleId, OnefateError
from onefate.broker.journey import JourneyMap
from onefate.broker.ledger.broker import Broker
from onefate.broker.ledger.changes import Entry, Pins
from onefate.broker.ledger.faults import WrongKind
from onefate.broker.ledger.ids import checked_name
from onefate.broker.performing import Worker
from onefate.broker.session import registry, structure
from onefate.broker.session.draft import Code, Draft
from onefate.broker.session.memory import new_session
from onefate.broker.session.options import SessionOptions
from onefate.broker.session.state import Receipt

T = TypeVar("T")
logger = logging.getLogger(__name__)
_LONGEST_NAME: Final = 40
LEAVING: Final = 5.0
"""How many seconds a process that leaves tries to say so."""


class Session(AppDoors, PeopleDoors, ReadingDoors, WiringDoors):
    """One session's doors in this process; open one with `open_session`.

    Safe to use from any number of tasks of one event loop, while any number of other processes use
    the same session.
    """

    def __init__(  # noqa: PLR0913 - what a session is opened from
        self,
        broker: Broker,
        session_id: str,
        journey_map: JourneyMap,
        options: SessionOptions,
        *,
        name: str,
        clock: Clock | None,
        navigate: Callable[[str], object] | None,
    ) -> None:
        self.id = session_id
        self.name = name
        """Who this process is, in receipts and journals."""
        self.map = journey_map
        self.options = options
        self.code = Code()
        self.handlers = LocalHandlers(navigate)
        self._broker = broker
        self._ledger = broker.ledger(session_id)
        self._own = Own(name, queue_name(name, session_id))
        pins = Pins(journey_map.fingerprint, _canonical(options))
        self._deciding = Deciding(
            broker.session(session_id, pins), journey_map, options,
            code=self.code, clock=clock or broker.now_ms, own=self._own,
        )  # fmt: skip
        self._open = AsyncExitStack()
        self._tasks = anyio.create_task_group()
        self._worker: Worker | None = None
        self._starting = anyio.Lock()
        self._flushing = False
        self._following = False

    async def decide(self, decision: Callable[[Draft], T], /) -> T:
        """Make one decision on the session as it stands, and commit it.

        A decision is a synchronous function of a draft; it may be made again from the start, so it
        must have no effect but through the draft.

        Raises:
            OnefateError: what the decision raises on purpose.
        """
        return (await self.decided(decision)).answer

    async def decided(self, decision: Callable[[Draft], T], /) -> Decided[T]:
        """Do as `decide`, and say where in the session's serial order the decision stands."""
        return await self._decided(decision)

    async def conclude(self, decision: Callable[[Draft], T], performed: Performed) -> T:
        """Decide on the outcome of a fire as the worker that performed it.

        Raises:
            StaleFence: another worker holds the fire's claim now; nothing was written.
        """
        return (await self._decided(decision, performed)).answer

    async def _decided(
        self, decision: Callable[[Draft], T], performed: Performed | None = None
    ) -> Decided[T]:
        decided = await self._deciding.decide(decision, performed=performed)
        self._flush_soon()
        self._follow_soon()
        return decided

    def foresee(self, entry: Entry) -> None:
        """Begin to load what the outcome of a fire will need, while it is being claimed."""
        if self._deciding.foresees(entry.fire_id):
            self._tasks.start_soon(self._aside, self._deciding.prepare)

    async def when_settled(self, transition_id: str) -> Receipt:
        """Give the receipt of a fire once it has one; ends otherwise only by cancellation.

        Raises:
            ImpossibleId: at once, if no settlement can exist under the id.
        """
        try:
            settlement = await self._ledger.when_settled(transition_id)
        except ImpossibleId:
            known = await self.settlement_if_known(transition_id)
            if known is None:
                raise
            return known
        self._deciding.heard(transition_id)
        self._follow_soon()
        return cast("Receipt", settlement.envelope)

    async def in_flight(self, transition_id: str) -> dict[str, object] | None:
        """Give what is known of an open fire: queued where, started by whom, last seen when."""
        fire = await self._ledger.fire(transition_id)
        known: dict[str, object] = {}
        if fire.queue is not None:
            known["queued"] = True
        if fire.started is not None:
            known["startedBy"] = fire.started.by
            known["attempt"] = fire.started.attempt
            known["startedAt"] = fire.started.at_ms
            known["lastSeen"] = fire.started.seen_ms
        return known or None

    @property
    def largest_input(self) -> int:
        """How many bytes of JSON the input of one fire may have."""
        return self._broker.settings.max_payload_bytes

    @property
    def performing(self) -> int:
        """How many fires the worker beside this session is performing now."""
        return self._worker.busy if self._worker is not None else 0

    async def end(self) -> None:
        """End the session for every process: its state is gone, its ids are never given again.

        Receipts stay readable for their retention.

        Raises:
            StillOpen: it has open fires; nothing was done.
        """
        await self._broker.end(self.id, tables=TABLES, logs=LOGS)

    def as_agent(self) -> PrincipalView:
        """Give the session as an agent may use it."""
        return PrincipalView(self, "agent")

    def as_human(self) -> PrincipalView:
        """Give the session as a person may use it; cards are answered at the person's doors."""
        return PrincipalView(self, "human")

    def as_system(self) -> PrincipalView:
        """Give the session as the system may use it."""
        return PrincipalView(self, "system")

    async def flush(self) -> None:
        """Flush a structure change that waits, if there is one."""
        if await self.decide(lambda draft: draft.registry["dirty"]):
            await self.decide(structure.flush_structure)

    def _flush_soon(self) -> None:
        if self._deciding.structure_waits and not self._flushing:
            self._flushing = True
            self._tasks.start_soon(self._aside, self._flush)

    def _follow_soon(self) -> None:
        if self._deciding.shared and not self._following:
            self._following = True
            self._tasks.start_soon(self._aside, self._follow)

    async def _follow(self) -> None:
        self._open.callback(await self._deciding.follow())

    async def _flush(self) -> None:
        try:
            await self._deciding.decide(structure.flush_structure)
        finally:
            self._flushing = False

    def _restored(self, session: str, fire_id: str) -> None:
        if session == self.id:
            self._tasks.start_soon(self._aside, partial(self._deciding.adopt, fire_id))

    async def _aside(self, work: Callable[[], Awaitable[object]]) -> None:
        """Do what nobody waits for; where it is refused, the next decision finds it undone."""
        try:
            await work()
        except OnefateError as refused:
            logger.warning("session %s: something on the side was not done: %s", self.id, refused)

    async def _home(self) -> str:
        async with self._starting:
            if self._worker is None:
                self._worker = await self._start_worker()
        return self._own.queue

    async def _start_worker(self) -> Worker:
        queue = self._broker.queue(self._own.queue, self.name, session=self.id)
        await self._open.enter_async_context(queue)
        worker = Worker(queue, SessionOutcomes(self), self.handlers)
        await self._tasks.start(worker.run)
        return worker

    async def __aenter__(self) -> Self:
        """Create the session or attach to it."""
        await self._open.enter_async_context(self._tasks)
        try:
            await self._deciding.create(new_session(self.options))
            self._open.callback(self._broker.on_restored(self._restored))
            if self.handlers.navigates:
                queue = await self._home()
                await self.decide(lambda draft: registry.set_navigator(draft, queue))
        except BaseException:
            await self._open.aclose()
            raise
        self._flush_soon()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Finish handlers that run and leave; what was wired here is not wired any more.

        The session itself stays in the store, for every other process.
        """
        try:
            with anyio.CancelScope(shield=True), anyio.move_on_after(LEAVING), suppress(WrongKind):
                await self._leave()
        except OnefateError as refused:
            logger.warning("session %s: what is wired here stays wired: %s", self.id, refused)
        finally:
            if self._worker is not None:
                self._worker.drain()
            await self._open.aclose()

    async def _leave(self) -> None:
        groups = self.handlers.groups
        if self.handlers.navigates:
            await self.decide(lambda draft: registry.drop_navigator(draft, self._own.queue))
        for group in groups:
            await self.unregister(group)
        if groups:
            await self.flush()


@asynccontextmanager
async def open_session(  # noqa: PLR0913 - what a session is opened from
    broker: Broker,
    session_id: str,
    journey_map: JourneyMap,
    options: Mapping[str, object] | None = None,
    *,
    name: str | None = None,
    clock: Clock | None = None,
    navigate: Callable[[str], object] | None = None,
) -> AsyncGenerator[Session]:
    """Create a session over a map, or attach to the one of this id, for the length of a block.

    `options` are the wire's; `name` says who this process is (generated where it is not given);
    `clock` gives milliseconds (the server's clock by default).

    Raises:
        BadOption, UnknownNode: an option that means nothing.
        BadName: the session's id or the process's name cannot be used.
        WrongPins: the session was created over another map, or with other options.
        WrongKind: the id belongs to a plain ledger.
    """
    wire = dict(options or {})
    if navigate is not None:
        wire["navigate"] = True
    read = SessionOptions.read(wire, journey_map)
    session = Session(
        broker, session_id, journey_map, read,
        name=checked_name("process name", name or f"p-{secrets.token_hex(4)}", _LONGEST_NAME),
        clock=clock, navigate=navigate,
    )  # fmt: skip
    async with session:
        yield session


@asynccontextmanager
async def attach_session(
    broker: Broker,
    session_id: str,
    journey_map: JourneyMap,
    *,
    name: str | None = None,
    clock: Clock | None = None,
) -> AsyncGenerator[Session]:
    """Attach to a session that exists, with the options it was created with.

    Raises:
        NoSuchSession: nobody has created it.
        WrongPins: it was created over another map.
        WrongKind: the id belongs to a plain ledger.
    """
    pins = await broker.pins(session_id)
    if pins is None:
        raise NoSuchSession(session_id)
    options = cast("dict[str, object]", json.loads(pins.options)) if pins.options else {}
    async with open_session(
        broker, session_id, journey_map, options, name=name, clock=clock
    ) as session:
        yield session


def _canonical(options: SessionOptions) -> str:
    return json.dumps(options.wire, sort_keys=True, separators=(",", ":"))
