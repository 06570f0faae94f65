"""A worker: performs fires by running an app's handlers, each at most once.

Theory of operation
1. Work is read when there may be some and when there is room, never blocking the connection; what
   is read is claimed at once. The claim decides, on the fire itself, who starts it
   (fire:started-once), and gives the fence its outcome carries.
2. A handler runs under a context variable that ties its reports to the fire. While it runs the
   worker says now and then that it is alive.
3. The outcome goes through a door, once: returned or threw. A cancelled worker still sends what
   its handlers have come to. A store that is full, or cannot persist, is asked until it is mended:
   nothing that runs is given up for it.
4. `drain` ends reading; handlers that run are finished, what was read and not started stays with
   the queue, where others take it over.

Crash points: killed before the claim, the entry is taken over by another worker. Killed after it,
the fire stays open with the evidence of who started it and when that worker was last seen; nobody
starts it again, unless it is repeatable. Killed after the outcome was sent, nothing is left to do.
"""

import asyncio
import inspect
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, TypeAlias

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup, TaskStatus

from onefate.broker.errors import OnefateError
from onefate.broker.ledger.changes import Entry
from onefate.broker.ledger.claims import Claim, NotClaimed
from onefate.broker.ledger.errors import CannotPersist, ServerFull, TooFewReplicas
from onefate.broker.ledger.ids import FireId
from onefate.broker.performing.errors import HandlerCancelled
from onefate.broker.performing.running import Running, running

logger = logging.getLogger(__name__)

Handler: TypeAlias = Callable[[object], object]
"""Takes the fire's input (None where it has none); a plain function runs in a thread."""

BEAT_SECONDS: Final = 10.0
CONCURRENCY: Final = 16
OUTCOME_SECONDS: Final = 30.0
PAUSE_SECONDS: Final = 1.0
"""Between two attempts at a store that refuses for the moment."""
_OF_THE_MOMENT: Final = (CannotPersist, ServerFull, TooFewReplicas)


class Handlers(Protocol):
    """The app's code, as a worker sees it."""

    def performs(self, action: str) -> bool:
        """Tell whether fires of this action can be performed here."""
        ...

    def find(self, claim: Claim) -> "tuple[Handler, object]":
        """Give the handler of a claimed fire, and the input it is to be called with.

        Raises:
            NoHandler: what was wired for the fire is not here any more.
        """
        ...


@dataclass(frozen=True, slots=True)
class HandlersByAction:
    """Handlers by action id, called with the fire's whole payload."""

    by_action: Mapping[str, Handler]

    def performs(self, action: str) -> bool:
        """Tell whether there is a handler of this action."""
        return action in self.by_action

    def find(self, claim: Claim) -> tuple[Handler, object]:
        """Give the action's handler and the payload."""
        return self.by_action[FireId.parse(claim.fire_id).action], claim.payload


class WorkQueue(Protocol):
    """One consumer of a work queue (`broker.queue(name, worker)`)."""

    worker: str

    async def wait(self) -> None:
        """Return once there may be work."""
        ...

    async def take(self, limit: int = 16) -> Sequence[Entry]:
        """Read entries without blocking."""
        ...

    async def claim(self, entry: Entry) -> Claim | NotClaimed:
        """Claim one entry's fire."""
        ...

    def release(self, entry: Entry) -> None:
        """Hold an entry no more, whatever has become of its fire."""
        ...

    async def beat(self, claim: Claim) -> bool:
        """Say that this worker is alive."""
        ...


class OutcomeDoor(Protocol):
    """Where handlers' outcomes and reports go."""

    async def returned(self, claim: Claim, value: object) -> None:
        """Say that the handler returned."""
        ...

    async def threw(self, claim: Claim, error: Exception) -> None:
        """Say that the handler failed."""
        ...

    async def report(self, claim: Claim, delta: Mapping[str, object]) -> object:
        """Say what the handler changed, while it runs."""
        ...


@dataclass(slots=True)
class WorkerCounters:
    """What a worker has done; only ever grows."""

    started: int = 0
    returned: int = 0
    threw: int = 0
    left: int = 0
    """Entries that were not this worker's to start."""


class Worker:
    """Performs the fires of one queue with handlers by action id.

    `foresee` is told of each entry as its claim is sent.
    """

    def __init__(  # noqa: PLR0913 - what a worker is made of
        self,
        queue: WorkQueue,
        door: OutcomeDoor,
        handlers: Handlers,
        *,
        foresee: Callable[[Entry], None] | None = None,
        concurrency: int = CONCURRENCY,
        beat_seconds: float = BEAT_SECONDS,
        pause_seconds: float = PAUSE_SECONDS,
    ) -> None:
        self.counters = WorkerCounters()
        self._queue = queue
        self._door = door
        self._handlers = handlers
        self._foresee = foresee
        self._concurrency = concurrency
        self._beat_seconds = beat_seconds
        self._pause_seconds = pause_seconds
        self._threads = anyio.CapacityLimiter(concurrency)
        self._running: dict[tuple[str, str], Claim] = {}
        self._busy = 0
        self._draining = False
        self._resting = anyio.CancelScope()
        self._freed = anyio.Event()

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Work until drained; cancelling abandons handlers, and leaves their fires open."""
        async with anyio.create_task_group() as beating:
            beating.start_soon(self._beat)
            async with anyio.create_task_group() as performing:
                task_status.started()
                while not self._draining:
                    await self._read(performing)
            beating.cancel_scope.cancel()

    @property
    def busy(self) -> int:
        """How many fires are being claimed or performed here now."""
        return self._busy

    def drain(self) -> None:
        """Start no more; `run` ends when the handlers that run have come to their outcome."""
        self._draining = True
        self._resting.cancel()

    async def _read(self, group: TaskGroup) -> None:
        room = self._concurrency - self._busy
        try:
            entries = await self._queue.take(room) if room > 0 else ()
        except _OF_THE_MOMENT as refusal:
            logger.warning("work could not be read: %s", refusal)
            with anyio.CancelScope() as self._resting:
                await anyio.sleep(self._pause_seconds)
            return
        for entry in entries:
            self._busy += 1
            group.start_soon(self._perform, entry)
        if entries or self._draining:
            return
        with anyio.CancelScope() as self._resting:
            if room > 0:
                await self._queue.wait()
            else:
                self._freed = anyio.Event()
                await self._freed.wait()

    async def _perform(self, entry: Entry) -> None:
        try:
            if not self._draining:
                await self._claim(entry)
        except Exception:
            logger.exception("a fire could not be performed", extra={"fire": entry.fire_id})
        finally:
            self._busy -= 1
            self._freed.set()

    async def _claim(self, entry: Entry) -> None:
        if not self._handlers.performs(FireId.parse(entry.fire_id).action):
            self.counters.left += 1
            logger.warning("no handler here performs this action", extra={"fire": entry.fire_id})
            return
        if self._foresee is not None:
            self._foresee(entry)
        claim = await self._queue.claim(entry)
        if isinstance(claim, NotClaimed):
            self.counters.left += 1
            logger.info("a fire was not ours", extra={"fire": entry.fire_id, "why": claim.reason})
            return
        self.counters.started += 1
        performed = (claim.session, claim.fire_id)
        self._running[performed] = claim
        try:
            await self._start(claim)
        finally:
            del self._running[performed]
            self._queue.release(entry)

    async def _start(self, claim: Claim) -> None:
        fire = Running(
            claim.fire_id, claim.session, FireId.parse(claim.fire_id).action, claim.principal,
            claim.attempt, self._queue.worker, partial(self._door.report, claim),
        )  # fmt: skip
        try:
            handler, payload = self._handlers.find(claim)
            with running(fire):
                value = await self._call(handler, payload)
        except Exception as error:
            self.counters.threw += 1
            logger.warning("the handler of %s failed", claim.fire_id, exc_info=error)
            await _send(self._tell(claim, partial(self._door.threw, claim, error)))
        else:
            self.counters.returned += 1
            await _send(self._tell(claim, partial(self._door.returned, claim, value)))

    async def _tell(
        self, claim: Claim, outcome: Callable[[], Coroutine[object, object, None]]
    ) -> None:
        """Tell an outcome until the store takes it."""
        while True:
            try:
                return await outcome()
            except _OF_THE_MOMENT as refusal:
                told = {"fire": claim.fire_id}
                logger.warning("an outcome could not be kept yet: %s", refusal, extra=told)
            await anyio.sleep(self._pause_seconds)

    async def _call(self, handler: Handler, payload: object) -> object:
        try:
            if inspect.iscoroutinefunction(handler):
                return await handler(payload)
            value = await anyio.to_thread.run_sync(handler, payload, limiter=self._threads)
            return await value if inspect.isawaitable(value) else value
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise HandlerCancelled from None

    async def _beat(self) -> None:
        while True:
            await anyio.sleep(self._beat_seconds)
            for claim in list(self._running.values()):
                try:
                    await self._queue.beat(claim)
                except OnefateError as error:
                    logger.warning("a beat was not kept: %s", error, extra={"fire": claim.fire_id})


async def _send(outcome: Coroutine[object, object, None]) -> None:
    """Send an outcome however long it takes; a cancelled worker still tries for a while."""
    sending = asyncio.ensure_future(outcome)
    try:
        await asyncio.shield(sending)
    except asyncio.CancelledError:
        with anyio.CancelScope(shield=True):
            await asyncio.wait((sending,), timeout=OUTCOME_SECONDS)
        sending.cancel()
        raise
