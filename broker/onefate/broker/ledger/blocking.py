"""The ledger for plain threads: the same doors, run on an event loop of their own thread.

Any number of threads may share one `BlockingBroker`. A wait ends with its answer, or with
`TimeoutError` where the caller set a timeout; the fire is not touched by that.
"""

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from onefate.broker.ledger.broker import Broker, open_broker
from onefate.broker.ledger.changes import Entry
from onefate.broker.ledger.claims import Claim, NotClaimed
from onefate.broker.ledger.ledger import Ledger
from onefate.broker.ledger.models import (
    EffectStatus,
    Fire,
    Json,
    JsonObject,
    Life,
    Outcome,
    Settled,
    Settlement,
)
from onefate.broker.ledger.settings import BrokerSettings
from onefate.broker.ledger.work import Queue

T = TypeVar("T")


async def _within(seconds: float | None, work: Callable[[], Awaitable[T]]) -> T:
    with anyio.fail_after(seconds):
        return await work()


class BlockingLedger:
    """The fires of one session, for threads; every method promises what `Ledger`'s does."""

    def __init__(self, portal: BlockingPortal, ledger: Ledger) -> None:
        self.session = ledger.session
        self._portal = portal
        self._ledger = ledger

    def record(  # noqa: PLR0913 - as Ledger.record
        self,
        action: str,
        *payload: Json,
        principal: str = "agent",
        queue: str | None = None,
        repeatable: bool = False,
        by: str | None = None,
        token: str | None = None,
    ) -> Fire:
        """Record one fire and queue it, together or not at all."""
        return self._portal.call(
            partial(
                self._ledger.record, action, *payload, principal=principal, queue=queue,
                repeatable=repeatable, by=by, token=token,
            )
        )  # fmt: skip

    def settle(  # noqa: PLR0913 - as Ledger.settle
        self,
        fire_id: str,
        outcome: Outcome,
        *,
        by: str,
        token: str | None = None,
        evidence: Json = None,
        fence: int | None = None,
        entry: Entry | None = None,
    ) -> Settled:
        """Settle a fire; exactly one of any number of settlers wins."""
        return self._portal.call(
            partial(
                self._ledger.settle, fire_id, outcome, by=by, token=token, evidence=evidence,
                fence=fence, entry=entry,
            )
        )  # fmt: skip

    def observe(
        self,
        fire_id: str,
        *,
        source: str,
        status: EffectStatus,
        evidence_ref: Json = None,
        token: str | None = None,
    ) -> Settled:
        """Say what an outside source saw: it settles an open fire, else it is kept beside it."""
        return self._portal.call(
            partial(
                self._ledger.observe, fire_id, source=source, status=status,
                evidence_ref=evidence_ref, token=token,
            )
        )  # fmt: skip

    def note(self, fire_id: str, fact: JsonObject, *, by: str, token: str | None = None) -> None:
        """Keep a later fact beside a fire."""
        self._portal.call(partial(self._ledger.note, fire_id, fact, by=by, token=token))

    def settlement_if_known(self, fire_id: str) -> Settlement | None:
        """Give the settlement, None while the fire is open."""
        return self._portal.call(self._ledger.settlement_if_known, fire_id)

    def when_settled(self, fire_id: str, *, timeout: float | None = None) -> Settlement:
        """Wait for the settlement."""
        return self._portal.call(_within, timeout, partial(self._ledger.when_settled, fire_id))

    def all_of(
        self, fire_ids: Sequence[str], *, timeout: float | None = None
    ) -> tuple[Settlement, ...]:
        """Wait until every fire settled."""
        return self._portal.call(_within, timeout, partial(self._ledger.all_of, fire_ids))

    def any_of(self, fire_ids: Sequence[str], *, timeout: float | None = None) -> Settlement:
        """Wait until one of the fires settled."""
        return self._portal.call(_within, timeout, partial(self._ledger.any_of, fire_ids))

    def awaiting(self) -> tuple[Fire, ...]:
        """Give the open fires in fire order."""
        return self._portal.call(self._ledger.awaiting)

    def explain(self, fire_id: str) -> Life:
        """Give the whole life of a fire in order, with authors."""
        return self._portal.call(self._ledger.explain, fire_id)

    def fire(self, fire_id: str) -> Fire:
        """Give one fire as it stands."""
        return self._portal.call(self._ledger.fire, fire_id)


class BlockingQueue:
    """One consumer of one queue, for threads; every method promises what `Queue`'s does."""

    def __init__(self, portal: BlockingPortal, queue: Queue) -> None:
        self._portal = portal
        self._queue = queue

    def wait(self, *, timeout: float | None = None) -> None:
        """Return once there may be work."""
        self._portal.call(_within, timeout, self._queue.wait)

    def take(self, limit: int = 16) -> list[Entry]:
        """Read up to `limit` entries that nobody else has, without waiting for more."""
        return self._portal.call(self._queue.take, limit)

    def claim(self, entry: Entry) -> Claim | NotClaimed:
        """Claim the entry's fire for this worker."""
        return self._portal.call(self._queue.claim, entry)

    def beat(self, claim: Claim) -> bool:
        """Say that this worker is alive."""
        return self._portal.call(self._queue.beat, claim)

    def done(self, entry: Entry) -> None:
        """Finish an entry: it is not delivered again."""
        self._portal.call(self._queue.done, entry)


class BlockingBroker:
    """The doors of one namespace for threads; make one with `open_blocking_broker`."""

    def __init__(self, portal: BlockingPortal, broker: Broker) -> None:
        self._portal = portal
        self._broker = broker

    def ledger(self, session: str) -> BlockingLedger:
        """Give the fires of a session."""
        return BlockingLedger(self._portal, self._broker.ledger(session))

    @contextmanager
    def queue(self, name: str, worker: str) -> Generator[BlockingQueue]:
        """Give one consumer of a queue for the length of a block."""
        entered = self._portal.wrap_async_context_manager(self._broker.queue(name, worker))
        with entered as queue:
            yield BlockingQueue(self._portal, queue)

    def now_ms(self) -> int:
        """Estimate the server's clock, in milliseconds since the epoch."""
        return self._broker.now_ms()

    def counters(self) -> dict[str, int]:
        """Give what this broker did and met, by name."""
        return self._portal.call(self._broker.counters)


@contextmanager
def open_blocking_broker(where: str | BrokerSettings | None = None, /) -> Generator[BlockingBroker]:
    """Open a broker for threads, on a loop in a thread of its own.

    Raises:
        BadSetting, CheckFailed, Refused, Unavailable: as `open_broker`.
    """
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(open_broker(where)) as broker,
    ):
        yield BlockingBroker(portal, broker)
