"""What the ledger's doors take and give: small frozen values.

A field that is None is not known; an envelope's key that is not known is absent
(answer:absent-not-filled).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from onefate.broker.ledger.settings import Durability

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"

EffectStatus: TypeAlias = Literal["performed", "refused", "unobservable"]
HappeningKind: TypeAlias = Literal[
    "recorded", "started", "seen", "settled", "lost", "observed", "noted"
]


@dataclass(frozen=True, slots=True)
class Kept:
    """How safe an acknowledged write is: the mode asked for, and whether all of it was confirmed.

    Not confirmed: the write stands on the server, and fewer replicas than the mode asks for said in
    time that they have it.
    """

    mode: Durability
    confirmed: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a settler says that a fire came to rest; make one with the functions below."""

    status: EffectStatus
    envelope: Mapping[str, Json] = field(default_factory=dict[str, Json])


def performed(*data: Json) -> Outcome:
    """Say that it was done; `performed(value)` hands out what it gave, `performed()` nothing."""
    return Outcome("performed", {"data": data[0]} if data else {})


def refused(error: Json) -> Outcome:
    """Say that it was not done, and why."""
    return Outcome("refused", {"error": error})


def unobservable(reason: Json) -> Outcome:
    """Say that nobody will ever know, and why."""
    return Outcome("unobservable", {"reason": reason})


@dataclass(frozen=True, slots=True)
class Settlement:
    """The receipt of how one fire came to rest; never rewritten (settle:immutable)."""

    id: str
    status: EffectStatus
    by: str
    at_ms: int
    envelope: JsonObject

    @property
    def data(self) -> Json:
        """Give what performing it gave, None where the settler handed out nothing."""
        return self.envelope.get("data")

    @property
    def error(self) -> Json:
        """Give why it was refused, None where the settler said nothing."""
        return self.envelope.get("error")

    @property
    def evidence(self) -> Json:
        """Give the settler's evidence, None where it gave none."""
        return self.envelope.get("evidence")


@dataclass(frozen=True, slots=True)
class Settled:
    """What a settler is told: whether it won, and the one settlement that stands."""

    won: bool
    settlement: Settlement
    kept: Kept


@dataclass(frozen=True, slots=True)
class Start:
    """Who started a fire last, as which attempt, and when that worker was last seen."""

    by: str
    attempt: int
    at_ms: int
    seen_ms: int

    @property
    def fence(self) -> int:
        """Give what the current worker settles with: the attempt."""
        return self.attempt


@dataclass(frozen=True, slots=True)
class Fire:
    """One accepted attempt to perform an action, as it stands."""

    id: str
    session: str
    action: str
    principal: str
    by: str
    at_ms: int
    status: Literal["open"] | EffectStatus = "open"
    queue: str | None = None
    repeatable: bool = False
    started: Start | None = None
    settled_at_ms: int | None = None
    kept: Kept | None = None
    """Known to the recorder alone."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened in a fire's life, and who says so."""

    at_ms: int
    kind: HappeningKind
    by: str
    detail: JsonObject


@dataclass(frozen=True, slots=True)
class Life:
    """The whole life of one fire in order, with authors."""

    id: str
    action: str
    payload: Json
    settlement: Settlement | None
    happenings: tuple[Happening, ...]
