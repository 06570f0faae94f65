"""Decide on a session, commit the decision, and decide again where the session has moved on.

Theory of operation
1. A process keeps what it last loaded and decides on that at once. A decision that writes is
   committed only on the revision it was made on; a conflict loads and decides again. A decision
   that only reads is believed only if it was made on an instant loaded after the call began; the
   check costs the one round trip that loading would have cost.
2. A decision that asks for history is loaded what it asks for and made anew from the start.
3. Decisions of one process on one session queue up behind each other: they would only conflict.
4. A commit names itself by a token, so a lost reply is asked for again and never applied twice. A
   call that is cancelled leaves nothing or everything; this process then forgets what it knew.
5. What is known to be missing is loaded before anything is decided: the sections, once a fire came
   to rest that was not settled here; the row of a fire that was performed for another process,
   already while it is being claimed. Once others were seen to act on the session, what they commit
   is followed as they announce it (`following`), and that is rarely needed.
6. A settlement stands that the session does not know of only where the store lost what was decided
   and a process put the settlement back: the session takes it in, then what was to settle the fire
   is decided again.
7. A session that the store has lost altogether begins anew, as it was created, with whatever is
   decided next; the developer is told.

So any number of processes act on one session at once, and what they did has one serial order.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar, cast

from onefate.broker.door.errors import Contradicted
from onefate.broker.door.following import MOST, Announced, announcement
from onefate.broker.door.kept import AtHand, Own, Performed, change_of, wanted_by
from onefate.broker.errors import OnefateError
from onefate.broker.journey import JourneyMap
from onefate.broker.ledger.changes import Conflict, Wanted
from onefate.broker.ledger.ids import TokenSeries
from onefate.broker.ledger.sessions import MapSession
from onefate.broker.session import settle
from onefate.broker.session.draft import Code, Draft, RecordsNeeded
from onefate.broker.session.options import SessionOptions
from onefate.broker.session.state import Registry, detached

T = TypeVar("T")
Clock = Callable[[], int]
logger = logging.getLogger(__name__)
MOST_SAID: Final = 1000
"""Warnings that are remembered, so that each is told once; some of them name what the app names."""


@dataclass(frozen=True, slots=True)
class Decided(Generic[T]):
    """A decision that stands: its answer, and its place in the session's one serial order.

    A decision that wrote has a revision of its own; one that only read has that of what it read.
    """

    answer: T
    revision: int
    wrote: bool
    now: int
    """The time it was made for, in milliseconds."""


class Deciding:
    """The decisions of one process on one session."""

    def __init__(  # noqa: PLR0913 - what every decision is made of
        self,
        stored: MapSession,
        journey_map: JourneyMap,
        options: SessionOptions,
        *,
        code: Code,
        clock: Clock,
        own: Own,
    ) -> None:
        self._stored = stored
        self._map = journey_map
        self._options = options
        self._code = code
        self._clock = clock
        self._own = own
        self._at_hand = AtHand()
        self._beginning: Mapping[str, object] = {}
        self._behind = False
        self._foreseen: list[str] = []
        self.shared = False
        """Whether another process was seen to act on the session."""
        self._follows = False
        self._announced: deque[bytes] = deque()
        self._tokens = TokenSeries()
        self._turn = asyncio.Lock()
        self._said: set[str] = set()

    @property
    def structure_waits(self) -> bool:
        """Whether a structure change that is at hand waits for its flush."""
        wiring = cast("Registry | None", self._at_hand.snapshot.sections.get("registry"))
        return wiring is not None and wiring["dirty"]

    async def create(self, sections: Mapping[str, object]) -> None:
        """Create the session with these sections, or find it created.

        Raises:
            WrongPins: it was created over another map or with other options.
            WrongKind: it is a plain ledger.
        """
        self._beginning = sections
        await self.decide(lambda _: None)

    async def decide(
        self, decision: Callable[[Draft], T], *, performed: Performed | None = None
    ) -> Decided[T]:
        """Make one decision and commit it.

        Raises:
            OnefateError: what the decision itself raises on purpose.
            Contradicted: the store holds a settlement this session has no fire for.
            StaleFence: the worker does not hold the fire's claim any more.
        """
        async with self._turn:
            try:
                return await self._decide(decision, performed)
            except asyncio.CancelledError:
                self._at_hand.forget()
                raise

    async def _decide(
        self, decision: Callable[[Draft], T], performed: Performed | None
    ) -> Decided[T]:
        self._follow()
        missing = self._missing(() if performed is None else (performed.fire_id,))
        current = missing is not None
        if missing is not None:
            await self._load(missing)
        while True:
            draft = self._draft()
            answer: T | OnefateError
            try:
                answer = decision(draft)
            except RecordsNeeded as needed:
                await self._load(wanted_by(needed))
                self._at_hand.take_impossible(needed)
                current = True
                continue
            except OnefateError as error:
                answer = error
            if not isinstance(answer, OnefateError) and (
                draft.decision or (performed and performed.entry)
            ):
                if await self._commit(draft, performed):
                    self._tell(draft.decision.warnings)
                    return Decided(answer, self._at_hand.revision, wrote=True, now=draft.now)
                current = True
            elif current or not await self._load(Wanted()):
                if isinstance(answer, OnefateError):
                    raise answer
                return Decided(answer, self._at_hand.revision, wrote=False, now=draft.now)
            else:
                current = True

    def heard(self, fire_id: str) -> None:
        """Hear that a fire has come to rest: unless it did so here, the session has moved on."""
        if not self._at_hand.knows_receipt(fire_id):
            self._behind = self._behind or not self._follows
            self.shared = True

    async def follow(self) -> Callable[[], None]:
        """Take in what others commit as it is announced; gives the way to stop it."""
        stop = await self._stored.listen(self._hear)
        self._follows = True
        return stop

    def _hear(self, event: bytes) -> None:
        self._announced.append(event)
        if len(self._announced) > MOST:
            self._announced.clear()
            self._behind = True

    def _follow(self) -> None:
        """Take in what was announced since the last decision."""
        while self._announced:
            if not self._at_hand.follow(Announced.read(self._announced.popleft())):
                self._behind = True

    def foresees(self, fire_id: str) -> bool:
        """Note that a fire's outcome will be decided here; True: `prepare` has something to do."""
        if not self._turn.locked():
            self._follow()
        if not self._at_hand.missing_rows((fire_id,)):
            return False
        self._foreseen.append(fire_id)
        return len(self._foreseen) == 1

    async def prepare(self) -> None:
        """Load what the outcomes that are foreseen will need, in one go."""
        async with self._turn:
            self._follow()
            foreseen, self._foreseen = self._foreseen, []
            missing = self._missing(foreseen)
            if missing is not None:
                await self._load(missing)

    def _missing(self, fire_ids: Sequence[str]) -> Wanted | None:
        rows = self._at_hand.missing_rows(fire_ids)
        behind = self._behind or self._at_hand.revision < 0
        return Wanted(rows=rows) if rows or behind else None

    async def _load(self, wanted: Wanted) -> bool:
        """Load what is wanted, and the sections if they moved; says whether they did."""
        known = self._at_hand.revision if self._at_hand.revision >= 0 else None
        self._behind = False
        loaded = await self._stored.load(known_revision=known, wanted=wanted)
        moved = self._at_hand.take(loaded)
        self.shared = self.shared or (moved and known is not None)
        self._at_hand.take_logs(wanted, loaded)
        if moved and known and not loaded.exists:
            self._tell(("the store has lost it; it begins anew",))
        return moved

    async def _commit(self, draft: Draft, performed: Performed | None) -> bool:
        change = change_of(draft, self._at_hand.revision, self._tokens.next(), self._own, performed)
        if self.shared:
            change = replace(change, events=announcement(change))
        answer = await self._stored.commit(change)
        if isinstance(answer, Conflict):
            await self._catch_up(answer, change.revision)
            return False
        self._at_hand.applied(draft, change, answer.revision)
        return True

    async def _catch_up(self, conflict: Conflict, decided_on: int) -> None:
        """Learn where the session stands; whoever follows has heard it before the refusal."""
        if conflict.settled is not None:
            await self._adopt(conflict.settled)
            if self._at_hand.revision == decided_on:
                raise Contradicted(self._stored.session, conflict.settled)
            return
        self._follow()
        if not decided_on < conflict.revision <= self._at_hand.revision:
            await self._load(Wanted())

    async def adopt(self, fire_id: str) -> None:
        """Take in a settlement that was put back without the decision it was part of."""
        async with self._turn:
            await self._adopt(fire_id)

    async def _adopt(self, fire_id: str) -> None:
        await self._load(Wanted(settlements=(fire_id,)))
        await self._decide(lambda draft: settle.adopt(draft, fire_id), None)

    def _tell(self, warnings: Iterable[str]) -> None:
        """Tell the developer, each text once."""
        for text in warnings:
            if text not in self._said:
                if len(self._said) >= MOST_SAID:
                    self._said.clear()
                self._said.add(text)
                logger.warning("session %s: %s", self._stored.session, text)

    def _draft(self) -> Draft:
        draft = Draft(
            self._map,
            self._options,
            self._at_hand.snapshot,
            now=self._clock(),
            code=self._code,
            epoch=self._at_hand.epoch,
        )
        if self._at_hand.revision == 0:
            draft.decision.sections.update(detached(dict(self._beginning)))
        return draft
