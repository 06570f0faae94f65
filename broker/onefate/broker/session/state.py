"""The sections and records of a session, as JSON values; absent keys say "not known".

Keys that reach an answer are spelled as on the wire; the rest are ours. Sections are bounded: what
grows with the number of past fires lives in tables and logs (see `draft`).
"""

from collections.abc import Callable
from typing import Any, Literal, NotRequired, TypedDict

type_json = Any
State = dict[str, Any]
Principal = Literal["user", "agent", "system", "unknown"]


class Counters(TypedDict):
    """Everything that only grows."""

    version: int
    stateVersion: int
    structureVersion: int
    row: int
    ask: int
    offer: int
    firstOffer: int
    ack: int
    firstAck: int
    work: int
    group: int
    bundle: int
    logs: dict[str, int]


class Claim(TypedDict):
    """A navigation that a fire claimed and nobody has observed yet."""

    id: str
    target: str


class Position(TypedDict):
    """Where the session stands."""

    node: str
    reported: bool
    focus: str
    claim: NotRequired[Claim]


class LastWrite(TypedDict):
    """The latest row of one principal that changed a key."""

    row: int
    version: int


Changes = dict[str, dict[str, LastWrite]]
"""State key → principal → that principal's latest change of it."""


class Pending(TypedDict):
    """A fire that waits for a state report, or for its handler's completion."""

    id: str
    affordanceId: str
    does: NotRequired[str]
    firedAt: int
    inFlight: bool
    onCompletion: bool


class Latch(TypedDict):
    """An open fire: its one question is not answered yet; single flight compares these."""

    id: str
    affordanceId: str
    instance: NotRequired[str]
    digest: NotRequired[str]
    """Canonical digest of the payload, absent when it cannot be judged."""
    handler: NotRequired[bool]
    """True while a handler is due to run or running."""


class Fate(TypedDict):
    """The latest fire of an action, and whether it came to nothing."""

    id: str
    failed: bool


class Binding(TypedDict):
    """Something is wired to perform an action (facts only; the function lives in a process)."""

    group: str
    enabled: bool
    busy: NotRequired[str]
    queue: NotRequired[str]


class Registry(TypedDict):
    """Shared facts about what is wired, by registry key (`<action>` or `<action>[<instance>]`)."""

    bindings: dict[str, Binding]
    declared: dict[str, list[dict[str, Any]]]
    """Actions declared at mount: id → stack of {group, node, name, definition}; newest serves."""
    dirty: bool
    """A structure change waits for its flush."""
    fingerprint: str
    deadEnds: list[str]


class Nodes(TypedDict):
    """Presence and visibility of the map's nodes."""

    present: dict[str, int]
    instances: dict[str, dict[str, int]]
    visible: dict[str, bool]
    groups: dict[str, dict[str, Any]]
    """Open presence handles by group id."""
    dormant: dict[str, int]
    warned: list[str]


class Ask(TypedDict):
    """A card: a question put to a person before a high-effect fire."""

    askId: str
    affordanceId: str
    does: NotRequired[str]
    instance: NotRequired[str]
    digest: NotRequired[str]
    answer: NotRequired[Literal["approved", "declined"]]
    answeredAt: NotRequired[int]
    answerSeq: NotRequired[int]
    stateVersion: NotRequired[int]
    by: NotRequired[str]
    principal: NotRequired[str]
    spent: NotRequired[bool]
    revoked: NotRequired[bool]


class Grant(TypedDict):
    """A person's standing yes for one action."""

    grantId: str
    affordanceId: str
    instance: NotRequired[str]
    expiresAt: NotRequired[int]


class Frame(TypedDict):
    """One opening of a journey."""

    journeyId: str
    status: Literal["open", "completed", "cancelled", "demoted"]
    principal: str
    openedAt: int
    openedAtVersion: int
    firedSteps: list[str]
    inferredSteps: list[str]
    stepFires: dict[str, list[str]]
    """Step → its fires in this frame that stand (committed, neither refused nor rolled back)."""
    closedAtVersion: NotRequired[int]


class FrameSection(TypedDict):
    """The open frame, and the latest closed one of each journey."""

    open: NotRequired[Frame]
    latest: dict[str, Frame]


Carried = dict[str, dict[str, list[str]]]
"""Principal → action → keys served as stale and not yet answered, first-served order."""


class Work(TypedDict):
    """Work the app has open."""

    workId: str
    label: NotRequired[str]
    transitionId: NotRequired[str]
    affordanceId: NotRequired[str]
    does: NotRequired[str]
    startedAt: int
    principal: str


class Recent(TypedDict):
    """Bounded tail for the texts that ground an agent: the latest rows and attempts, and totals."""

    rows: list[dict[str, Any]]
    attempts: list[dict[str, Any]]
    attemptTotal: int
    rowTotal: int
    firstUserRow: NotRequired[dict[str, Any]]
    lastUserRow: NotRequired[dict[str, Any]]


class Bundle(TypedDict):
    """What one row committed to state: net changes, and what its guard read."""

    seq: int
    changed: list[str]
    reads: list[str]


class Row(TypedDict):
    """A transition: the record as the wire shows it, and what only the machine needs."""

    record: dict[str, Any]
    n: int
    bundle: NotRequired[Bundle]
    later: NotRequired[list[dict[str, Any]]]
    """What became news after the fire had settled."""
    spent: NotRequired[bool]


class Receipt(TypedDict):
    """A settlement: how a fire came to rest; written once."""

    effectStatus: Literal["performed", "refused", "unobservable"]
    outcome: Literal["committed", "rejected", "rolled-back", "superseded"]
    transition: dict[str, Any]
    error: NotRequired[Any]
    verifyHeld: NotRequired[Any]
    produced: NotRequired[Any]


Offer = dict[str, Any]
Acknowledgement = dict[str, Any]
Gap = dict[str, Any]
Confirm = dict[str, Any]
FocusMove = dict[str, Any]


class OnceReceipt(TypedDict):
    """A performed once action, and the number of rows when it was fired."""

    id: str
    affordanceId: str
    asOfIndex: int
    instance: NotRequired[str]
    digest: NotRequired[str]


def _counters() -> Counters:
    return Counters(
        version=0, stateVersion=0, structureVersion=0, row=0, ask=1, offer=1, firstOffer=1,
        ack=1, firstAck=1, work=0, group=1, bundle=0, logs={},
    )  # fmt: skip


EMPTY: dict[str, Callable[[], Any]] = {
    "counters": _counters,
    "position": lambda: Position(node="", reported=True, focus=""),
    "state": dict,
    "changes": dict,
    "pending": list,
    "latches": list,
    "fates": dict,
    "registry": lambda: Registry(
        bindings={}, declared={}, dirty=False, fingerprint="", deadEnds=[]
    ),
    "nodes": lambda: Nodes(
        present={}, instances={}, visible={}, groups={}, dormant={}, warned=[]
    ),
    "asks": dict,
    "grants": list,
    "frame": lambda: FrameSection(latest={}),
    "carried": dict,
    "decided": dict,
    "work": dict,
    "recent": lambda: Recent(rows=[], attempts=[], attemptTotal=0, rowTotal=0),
}
"""Each section's value in a session that has just begun."""


def detached(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Copy a JSON value so that nothing is shared with the original."""
    if isinstance(value, dict):
        return {key: detached(item) for key, item in value.items()}  # pyright: ignore
    if isinstance(value, list):
        return [detached(item) for item in value]  # pyright: ignore
    return value
