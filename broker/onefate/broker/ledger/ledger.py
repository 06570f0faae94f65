"""A plain ledger: record fires, settle them once, wait for them, read their lives.

Every coroutine may be called by any number of tasks and processes at once. A lost connection is
healed inside: writes are repeated with their token until answered, or until the caller's own
deadline (an anyio cancel scope) ends the call. A cancelled write may have happened or not; calling
again with the same token tells (settle:lost-reply).
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from onefate.broker.errors import BadInput, Forgotten, NeverExisted
from onefate.broker.ledger import scripts
from onefate.broker.ledger.changes import Entry
from onefate.broker.ledger.codec import (
    ANNOUNCED,
    checked_outcome,
    envelope,
    fields_of,
    fire_from,
    hash_of,
    settlement_from,
    to_json,
)
from onefate.broker.ledger.context import Context
from onefate.broker.ledger.fates import absent
from onefate.broker.ledger.faults import StaleFence, TokenReused, WrongKind
from onefate.broker.ledger.ids import FireId, Number, checked_name, new_token
from onefate.broker.ledger.lives import life_from
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
from onefate.broker.ledger.reassert import Acknowledged
from onefate.broker.ledger.recording import Recording
from onefate.broker.ledger.store import Words, number, persist, raw, text, words
from onefate.broker.ledger.waits import wait_together

_CHUNK: Final = 500


class Ledger:
    """The fires of one session.

    Readers work on any session; writers only on sessions that belong to no map, else `WrongKind`.
    """

    def __init__(self, context: Context, session: str) -> None:
        self.session = checked_name("session id", session, 128)
        self._context = context
        self._store = context.store
        self._keys = context.store.keys(session)

    async def record(  # noqa: PLR0913 - each names one fact of a fire
        self,
        action: str,
        *payload: Json,
        principal: str = "agent",
        queue: str | None = None,
        repeatable: bool = False,
        by: str | None = None,
        token: str | None = None,
    ) -> Fire:
        """Record one fire and queue it, together or not at all (fire:atomic).

        With a `token` of the caller's own, the same action and payload recorded again give the
        same fire back, in any process, for as long as the retention.

        Raises:
            BadInput: a name or the payload cannot be kept; nothing was written.
            TokenReused: the token names another fire.
            WrongKind: the session belongs to a map.
        """
        what = Recording.of(
            self._store.settings, action, payload,
            principal=principal, queue=queue, repeatable=repeatable, by=by, token=token,
        )  # fmt: skip
        numbers = self._context.numbers
        while True:
            guess = numbers.take(self.session, self._store.history.epoch)
            reply = await self._send(what, guess.number)
            match text(reply[0]):
                case "recorded":
                    return await self._recorded(what, text(reply[1]), number(reply[2]))
                case "known":
                    numbers.missed(self.session, guess, guess.number)
                    return await self._known(what, text(reply[1]))
                case "moved":
                    stands = Number(number(reply[1]), number(reply[2]))
                    numbers.missed(self.session, guess, stands)
                case _:
                    raise WrongKind(self.session, text(reply[1]))

    async def _send(self, what: Recording, at: Number) -> Words:
        settings, hub = self._store.settings, self._context.hub
        address = hub.expect(self.session, FireId(what.action, at))
        recorded = False
        try:
            reply = await self._store.write(
                lambda history: what.call(self._keys, at, history, settings)
            )
            recorded = text(reply[0]) == "recorded"
        finally:
            if not recorded:
                hub.forget(address)
        return reply

    async def _recorded(self, what: Recording, fire_id: str, at_ms: int) -> Fire:
        self._store.heard_time(at_ms)
        self._context.reassertion.remember(Acknowledged(self.session, fire_id, (what, at_ms)))
        return Fire(
            fire_id, self.session, what.action, what.principal, what.by, at_ms,
            queue=what.queue or None, repeatable=what.repeatable, kept=await self._store.confirm(),
        )  # fmt: skip

    async def _known(self, what: Recording, known: str) -> Fire:
        digest, _, fire_id = known.partition(" ")
        if digest != what.digest:
            raise TokenReused(fire_id)
        return await self.fire(fire_id)

    async def settle(  # noqa: PLR0913 - each names one fact of a settlement
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
        """Settle a fire; exactly one of any number of settlers wins (settle:first-wins).

        A loser gets the winner's settlement and is kept in the losers' ledger. The same token
        asked again is told the same (settle:lost-reply). A worker gives its claim's fence, and the
        entry of a repeatable fire, which is finished in the same step.

        Raises:
            BadInput: the outcome is none, or it or the author cannot be kept; nothing was written.
            ImpossibleId: no settlement can exist under the id.
            StaleFence: another worker has claimed the open fire since.
            WrongKind: the session belongs to a map.
        """
        said = checked_outcome(outcome)
        body = envelope(said.envelope, evidence, self._store.settings.max_receipt_bytes)
        return await self._settle(
            FireId.parse(fire_id), said.status, body, by, token,
            kept_as="lost", fence="" if fence is None else str(fence),
            work=("", "") if entry is None else (entry.queue, entry.entry),
        )  # fmt: skip

    async def observe(
        self,
        fire_id: str,
        *,
        source: str,
        status: EffectStatus,
        evidence_ref: Json = None,
        token: str | None = None,
    ) -> Settled:
        """Say what an outside source saw: it settles an open fire, else it is kept beside it.

        Raises:
            BadInput, ImpossibleId, WrongKind: as `settle`.
        """
        body = envelope({}, evidence_ref, self._store.settings.max_receipt_bytes)
        return await self._settle(
            FireId.parse(fire_id), status, body, source, token, kept_as="observed"
        )

    async def _settle(  # noqa: PLR0913 - the script's facts
        self,
        fire: FireId,
        status: EffectStatus,
        body: bytes,
        by: str,
        token: str | None,
        *,
        kept_as: str,
        fence: str = "",
        work: tuple[str, str] = ("", ""),
    ) -> Settled:
        checked_name("author", by)
        token = new_token() if token is None else checked_name("token", token)
        keys, at, name = self._keys, str(fire.number), str(fire)
        call = scripts.call(
            scripts.SETTLE,
            scripts.SettleKeys(
                keys.session, keys.open, keys.fire(at), keys.payload(at), keys.settlement(at),
                keys.journal(at), keys.partition.wake, keys.partition.work(work[0]),
            ),
            scripts.SettleArgs(
                self.session, at, name, fire.action, token, by, status, body, kept_as,
                fence, self._store.settings.retention_ms, work[1], ANNOUNCED,
            ),
        )  # fmt: skip
        reply = await self._store.write(lambda _: call)
        match text(reply[0]):
            case "absent":
                raise absent(fire, reply)
            case "kind":
                raise WrongKind(self.session, text(reply[1]))
            case "stale" if not reply[1]:
                raise StaleFence(name, int(fence))
            case tag:
                return await self._told(name, won=tag == "won", stored=raw(reply[1]))

    async def _told(self, fire_id: str, *, won: bool, stored: bytes) -> Settled:
        settlement = settlement_from(stored)
        if settlement.id != fire_id:
            raise NeverExisted(fire_id)
        if won:
            self._store.heard_time(settlement.at_ms)
            self._context.reassertion.remember(
                Acknowledged(self.session, fire_id, settlement=stored)
            )
        return Settled(won, settlement, await self._store.confirm())

    async def note(
        self, fire_id: str, fact: JsonObject, *, by: str, token: str | None = None
    ) -> None:
        """Keep a later fact beside a fire, open or settled; it changes no settlement.

        Raises:
            BadInput: the author or the fact cannot be kept; nothing was written.
            ImpossibleId: nothing is kept under the id.
        """
        fire = FireId.parse(fire_id)
        body = to_json("fact", fact, self._store.settings.max_receipt_bytes)
        call = scripts.call(
            scripts.NOTE,
            scripts.NoteKeys(
                self._keys.session, self._keys.fire(fire.number), self._keys.journal(fire.number)
            ),
            scripts.NoteArgs(
                fire.action, new_token() if token is None else checked_name("token", token),
                checked_name("author", by), body,
            ),
        )  # fmt: skip
        reply = await self._store.write(lambda _: call)
        if text(reply[0]) == "absent":
            raise absent(fire, reply)

    async def settlement_if_known(self, fire_id: str) -> Settlement | None:
        """Give the settlement, None while the fire is open.

        Raises:
            ImpossibleId: no settlement can exist under the id.
        """
        found = await self._context.hub.look(self.session, fire_id)
        return found if isinstance(found, Settlement) else None

    async def when_settled(self, fire_id: str) -> Settlement:
        """Wait for the settlement; ends with it, by cancellation, or with its broker.

        Raises:
            ImpossibleId: at once, if no settlement can exist under the id.
            LinkClosed: the broker was closed.
        """
        return await self._context.hub.wait(self.session, fire_id)

    async def all_of(self, fire_ids: Sequence[str]) -> tuple[Settlement, ...]:
        """Wait until every fire settled; the settlements come in the order of the ids.

        Raises:
            ImpossibleId: at once, if no settlement can exist under one of the ids.
        """
        found = await wait_together(self.when_settled, fire_ids, len(fire_ids))
        return tuple(found[index] for index in range(len(fire_ids)))

    async def any_of(self, fire_ids: Sequence[str]) -> Settlement:
        """Wait until one of the fires settled; the settlement names which.

        Raises:
            BadInput: there are no ids, so this would wait for ever.
            ImpossibleId: at once, if no settlement can exist under one of the ids.
        """
        if not fire_ids:
            raise BadInput("any_of needs at least one id; none was given.")
        found = await wait_together(self.when_settled, fire_ids, 1)
        return next(iter(found.values()))

    async def fire(self, fire_id: str) -> Fire:
        """Give one fire as it stands, with what is known of it in flight.

        Raises:
            ImpossibleId: nothing is kept under the id.
        """
        fire = FireId.parse(fire_id)
        _, flat, *_ = await self._life(fire)
        if not flat:
            raise Forgotten(fire_id)
        found = fire_from(self.session, fire_id, fields_of(words(flat)))
        if found.action != fire.action:
            raise NeverExisted(fire_id)
        return found

    async def explain(self, fire_id: str) -> Life:
        """Give the whole life of a fire in order, with authors.

        Raises:
            ImpossibleId: nothing is kept under the id.
        """
        fire = FireId.parse(fire_id)
        life = life_from(fire, await self._life(fire))
        if life.settlement is not None and life.settlement.id != fire_id:
            raise NeverExisted(fire_id)
        return life

    async def _life(self, fire: FireId) -> Words:
        keys, at = self._keys, fire.number
        slots = scripts.LifeKeys(
            keys.session, keys.fire(at), keys.payload(at), keys.settlement(at), keys.journal(at)
        )
        reply = await self._store.read(scripts.call(scripts.LIFE, slots, scripts.NoArgs()))
        if text(reply[0]) == "absent":
            raise absent(fire, reply)
        return reply

    async def awaiting(self) -> tuple[Fire, ...]:
        """Give the open fires in fire order, with what is known of each in flight."""
        listed = words(await self._store.command("ZRANGE", self._keys.open, 0, -1))
        found: list[Fire] = []
        for start in range(0, len(listed), _CHUNK):
            ids = [text(word) for word in listed[start : start + _CHUNK]]
            commands = [("HGETALL", self._keys.fire(FireId.parse(each).number)) for each in ids]
            replies = await persist(partial(self._store.link.pipeline, commands))
            for fire_id, reply in zip(ids, replies, strict=True):
                fields = hash_of(reply)
                if fields.get("s") == "open":
                    found.append(fire_from(self.session, fire_id, fields))
        return tuple(found)
