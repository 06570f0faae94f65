"""The pure twin of the ledger's scripts: the same commands on plain values, the same answers."""

from dataclasses import dataclass, field
from typing import Literal

EffectStatus = Literal["performed", "refused", "unobservable"]


@dataclass(slots=True)
class Receipt:
    """A settlement as the twin knows it."""

    token: str
    by: str
    status: EffectStatus
    envelope: dict[str, object]


@dataclass(slots=True)
class TwinFire:
    """One fire: open until it has a receipt; `kept` is its journal by kind, token and author."""

    id: str
    action: str
    token: str
    repeatable: bool
    receipt: Receipt | None = None
    worker: str | None = None
    claim: str | None = None
    attempt: int = 0
    kept: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    tokens: set[str] = field(default_factory=set[str])

    @property
    def status(self) -> str:
        """What the fire's hash says."""
        return self.receipt.status if self.receipt else "open"


@dataclass(slots=True)
class TwinLedger:
    """One session of a plain ledger."""

    fires: dict[str, TwinFire] = field(default_factory=dict[str, TwinFire])
    tokens: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    n: int = 0

    def recorded(self, fire_id: str, action: str, token: str, *, repeatable: bool) -> TwinFire:
        """Take a fire that the ledger says it recorded as number `n`."""
        fire = TwinFire(fire_id, action, token, repeatable)
        self.fires[fire_id] = fire
        self.n += 1
        return fire

    def settle(
        self,
        fire_id: str,
        receipt: Receipt,
        *,
        kept_as: Literal["lost", "observed"] = "lost",
        fence: int | None = None,
    ) -> Literal["won", "lost", "stale"]:
        """Settle, or keep what came too late."""
        fire = self.fires[fire_id]
        if fire.receipt is not None and fire.receipt.token == receipt.token:
            return "won"
        stale = fence is not None and fence != fire.attempt
        if fire.receipt is None and not stale:
            fire.receipt = receipt
            return "won"
        if receipt.token not in fire.tokens:
            fire.tokens.add(receipt.token)
            fire.kept.append((kept_as, receipt.by))
        return "lost" if fire.receipt is not None else "stale"

    def claim(
        self, fire_id: str, worker: str, token: str, *, silent: bool
    ) -> Literal["claimed", "started", "settled"]:
        """Claim a fire; `silent` says that its last worker has not been seen for the lease."""
        fire = self.fires[fire_id]
        if fire.receipt is not None:
            return "settled"
        if fire.worker is not None and (fire.worker, fire.claim) == (worker, token):
            return "claimed"
        if fire.worker is not None and not (fire.repeatable and silent):
            return "started"
        if fire.worker is not None:
            fire.kept.append(("started", fire.worker))
        fire.worker, fire.claim, fire.attempt = worker, token, fire.attempt + 1
        return "claimed"

    def beat(self, fire_id: str, fence: int) -> bool:
        """Say that a worker is alive."""
        fire = self.fires[fire_id]
        return fire.receipt is None and fire.attempt == fence

    def note(self, fire_id: str, by: str, token: str) -> None:
        """Keep a later fact."""
        fire = self.fires[fire_id]
        if token not in fire.tokens:
            fire.tokens.add(token)
            fire.kept.append(("noted", by))

    def awaiting(self) -> list[str]:
        """The open fires in fire order."""
        return [fire.id for fire in self.fires.values() if fire.receipt is None]
