"""Claims: a worker starts a fire at most once, and says while it runs that it is alive.

The attempt is the fence: it only grows, and a settlement that carries an older one settles nothing.
"""

from dataclasses import dataclass, field
from typing import Literal

from onefate.broker.ledger import scripts
from onefate.broker.ledger.changes import Entry
from onefate.broker.ledger.codec import from_json, settlement_from, start_from
from onefate.broker.ledger.ids import FireId, new_token
from onefate.broker.ledger.models import Json, Settlement, Start
from onefate.broker.ledger.reassert import Claimed, Reassertion
from onefate.broker.ledger.store import Store, Words, number, raw, text


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to start one fire's handler."""

    entry: Entry
    attempt: int
    principal: str
    recorded_ms: int
    payload: Json
    """None where the fire has none."""
    repeatable: bool
    has_payload: bool = field(default=True)

    @property
    def fence(self) -> int:
        """Give what the worker settles with."""
        return self.attempt

    @property
    def fire_id(self) -> str:
        """Give the fire's id, which is also its idempotency key."""
        return self.entry.fire_id

    @property
    def session(self) -> str:
        """Give the fire's session."""
        return self.entry.session


@dataclass(frozen=True, slots=True)
class NotClaimed:
    """The fire may not be started here, and why."""

    entry: Entry
    reason: Literal["started", "settled", "absent"]
    started: Start | None = None
    settlement: Settlement | None = None


class Claims:
    """The claims of one process."""

    def __init__(self, store: Store, reassertion: Reassertion) -> None:
        self._store = store
        self._reassertion = reassertion

    async def claim(
        self, entry: Entry, worker: str, *, lease_ms: int, token: str | None = None
    ) -> Claim | NotClaimed:
        """Claim a fire: one script on the fire alone (fire:started-once).

        A repeatable fire is claimed again once its worker was silent for the lease. The same token
        asked again is told the same. Modes that wait for replicas wait for the claim as well.
        """
        fire = FireId.parse(entry.fire_id)
        keys, at = self._store.keys(entry.session), str(fire.number)
        call = scripts.call(
            scripts.CLAIM,
            scripts.ClaimKeys(
                keys.fire(at), keys.payload(at), keys.settlement(at), keys.journal(at),
                keys.partition.work(entry.queue),
            ),
            scripts.ClaimArgs(
                fire.action, worker, token or new_token(), lease_ms, entry.entry
            ),
        )  # fmt: skip
        answer = _answer(entry, await self._store.write(lambda _: call))
        if isinstance(answer, Claim):
            if not answer.repeatable:
                self._reassertion.remember(Claimed(entry.session, entry.fire_id, call))
            await self._store.confirm()
        return answer

    async def beat(self, claim: Claim, worker: str) -> bool:
        """Say that the worker is alive; False: the claim is not the current one any more."""
        keys, at = self._store.keys(claim.session), str(FireId.parse(claim.fire_id).number)
        entry = claim.entry.entry if claim.repeatable else ""
        call = scripts.call(
            scripts.BEAT,
            scripts.BeatKeys(keys.fire(at), keys.partition.work(claim.entry.queue)),
            scripts.BeatArgs(claim.fence, worker, entry),
        )
        reply = await self._store.write(lambda _: call)
        return text(reply[0]) == "beating"


def _answer(entry: Entry, reply: Words) -> Claim | NotClaimed:
    match text(reply[0]):
        case "claimed":
            _, attempt, principal, at, payload, repeatable = reply
            body = raw(payload)
            return Claim(
                entry, number(attempt), text(principal), number(at),
                from_json(body) if body else None, bool(repeatable), bool(body),
            )  # fmt: skip
        case "started":
            start = start_from(text(reply[1]), text(reply[2]), text(reply[3]))
            return NotClaimed(entry, "started", started=start)
        case "settled":
            stored = raw(reply[1])
            settlement = settlement_from(stored) if stored else None
            return NotClaimed(entry, "settled", settlement=settlement)
        case _:
            return NotClaimed(entry, "absent")
