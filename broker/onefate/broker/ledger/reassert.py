"""What this process was told is safe is put back if the store lost it (store:honest).

Replication is asynchronous: a promoted replica may lack the last acknowledged writes. Each process
therefore keeps what it had acknowledged in the last minute, and after the topology changed writes
it again where it is missing. What is there stays; another winner found so is a conflict: counted,
logged, and kept in the losers' ledger. A fire put back is queued again only if it is repeatable,
because its claim may have been lost with it. A claim that was lost is made again, so that nobody
else starts the fire; where somebody has, that is a conflict too (fire:started-once).
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVar, cast

import anyio

from onefate.broker.ledger import scripts
from onefate.broker.ledger.ids import FireId
from onefate.broker.ledger.recording import Recording
from onefate.broker.ledger.scripts import Call
from onefate.broker.ledger.store import Store, Words, persist, text

_KEPT_SECONDS: Final = 60.0
_KEPT_BYTES: Final = 64 << 20
_AT_ONCE: Final = 100
_OVERHEAD: Final = 500
RestoredListener: TypeAlias = Callable[[str, str], None]
T = TypeVar("T")
_log: Final = logging.getLogger("onefate.ledger")


class Acknowledged(NamedTuple):
    """One fire or one settlement that the store acknowledged to this process."""

    session: str
    fire_id: str
    recorded: tuple[Recording, int] | None = None
    """What was recorded, and when; None where this process only settled the fire."""
    settlement: bytes = b""

    @property
    def size(self) -> int:
        """Give about how many bytes keeping it takes."""
        payload = 0 if self.recorded is None else len(self.recorded[0].body)
        return _OVERHEAD + payload + len(self.settlement)


class Claimed(NamedTuple):
    """One fire that this process was told to start, and the claim that told it so."""

    session: str
    fire_id: str
    claim: Call

    @property
    def size(self) -> int:
        """Give about how many bytes keeping it takes."""
        return 2 * _OVERHEAD


class Reassertion:
    """The recent acknowledgements of one process."""

    def __init__(self, store: Store) -> None:
        self.restored = 0
        self.conflicts = 0
        self._store = store
        self._topology = store.link.topology
        self._recent: deque[tuple[float, Acknowledged | Claimed]] = deque()
        self._size = 0
        self._listeners: list[RestoredListener] = []
        store.link.on_up(self._up)

    def on_restored(self, listener: RestoredListener) -> Callable[[], None]:
        """Call `listener` with session and fire of each settlement that was put back or that lost.

        Gives the way to stop it.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def remember(self, acknowledged: Acknowledged | Claimed) -> None:
        """Keep an acknowledgement for a minute."""
        now = time.monotonic()
        self._recent.append((now, acknowledged))
        self._size += acknowledged.size
        while self._recent[0][0] < now - _KEPT_SECONDS or self._size > _KEPT_BYTES:
            self._size -= self._recent.popleft()[1].size

    async def _up(self) -> None:
        topology = self._store.link.topology
        if topology != self._topology:
            await self.assert_all()
        self._topology = topology

    async def assert_all(self) -> None:
        """Write every recent acknowledgement that is missing."""
        since = time.monotonic() - _KEPT_SECONDS
        recent = [each for at, each in self._recent if at >= since]
        await _each(self._assert, [each for each in recent if isinstance(each, Acknowledged)])
        await _each(self._claim, [each for each in recent if isinstance(each, Claimed)])

    async def _claim(self, what: Claimed) -> None:
        """Claim again with the same token: the same claim, or a second start to be told of."""
        call = what.claim
        reply = await self._store.read(call)
        if text(reply[0]) == "started":
            self.conflicts += 1
            _log.warning("another worker started %s of session %s", what.fire_id, what.session)

    async def _assert(self, what: Acknowledged) -> None:
        keys = self._store.keys(what.session)
        number = FireId.parse(what.fire_id).number
        fields: tuple[str, ...] = ()
        payload, again = b"", ""
        if what.recorded is not None:
            recording, at_ms = what.recorded
            fields, payload = recording.fields(at_ms), recording.body
            again = recording.queue if recording.repeatable else ""
        slots = scripts.RestoreKeys(
            keys.session, keys.open, keys.fire(number), keys.payload(number),
            keys.settlement(number), keys.journal(number), keys.partition.wake,
            keys.partition.work(again), keys.partition.nudge,
        )  # fmt: skip
        head = scripts.RestoreHead(
            what.fire_id, number.order, number.n + 1, what.session, str(number), payload,
            again, what.settlement, self._store.settings.retention_ms,
        )  # fmt: skip
        link = self._store.link
        reply = cast(
            "Words", await persist(lambda: link.run(scripts.RESTORE, slots, [*head, *fields]))
        )
        answer = text(reply[0])
        if answer == "restored":
            self.restored += 1
        elif answer == "conflict":
            self.conflicts += 1
            _log.warning("another settlement won %s of session %s", what.fire_id, what.session)
        if what.settlement and answer != "kept":
            for listener in tuple(self._listeners):
                listener(what.session, what.fire_id)


async def _each(work: Callable[[T], Coroutine[object, object, None]], items: Sequence[T]) -> None:
    for start in range(0, len(items), _AT_ONCE):
        async with anyio.create_task_group() as group:
            for each in items[start : start + _AT_ONCE]:
                group.start_soon(work, each)
