"""The sections and records of a session, as JSON values; an absent key says "not known".

Keys that reach an answer are spelled as on the wire; the rest are ours. Sections are bounded: what
grows with the number of past fires lives in tables and logs (see `draft`). All of it is JSON: a
payload that is missing is `ABSENT` in memory and no key at all in a record.
"""

from typing import Literal, NotRequired, TypeAlias, TypedDict, TypeVar, cast

from onefate.broker.journey.values import ABSENT, Absent

__all__ = ["ABSENT", "Absent"]

T = TypeVar("T")


Principal: TypeAlias = Literal["user", "agent", "system", "unknown"]
OutcomeAtRest: TypeAlias = Literal["committed", "rejected", "rolled-back", "superseded"]
Outcome: TypeAlias = Literal["pending"] | OutcomeAtRest
EffectStatus: TypeAlias = Literal["performed", "refused", "unobservable"]
Certainty: TypeAlias = Literal["observed", "inferred", "unknown"]
Wire: TypeAlias = dict[str, object]
"""An answer, or a row of one, with the keys of the wire."""
State: TypeAlias = dict[str, object]


class Counters(TypedDict):
    """Everything that only grows."""

    version: int
    stateVersion: int
    structureVersion: int
    row: int
    ask: int
    offer: int
    ack: int
    work: int
    group: int
    bundle: int
    frame: int
    logs: dict[str, int]


class Claim(TypedDict):
    """A navigation that a fire claimed and nobody has observed yet."""

    id: str
    target: str


class Position(TypedDict):
    """Where the session stands; `reports` counts the app's own words about it."""

    node: str
    reported: bool
    reports: int
    focus: str
    claim: NotRequired[Claim]


class LastWrite(TypedDict):
    """The latest row of one principal that changed a key, and the version before that row."""

    row: int
    version: int


Changes: TypeAlias = dict[str, dict[str, LastWrite]]
"""State key → principal → that principal's latest net change of it."""


class Pending(TypedDict):
    """A fire that waits for a state report, or for its handler's completion."""

    id: str
    affordanceId: str
    does: NotRequired[str]
    firedAt: int
    writes: list[str]
    onCompletion: bool
    """True where the handler's completion settles it and no report is awaited."""


class Latch(TypedDict):
    """An open fire, in fire order; single flight compares these."""

    id: str
    affordanceId: str
    instance: NotRequired[str]
    digest: NotRequired[str]
    """Canonical digest of the payload; only where the action's scope compares it."""
    once: NotRequired[str]
    """The key of its receipt in the table `once`."""


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


class Declared(TypedDict):
    """An action declared at mount: its wire definition on its node."""

    group: str
    node: str
    name: str
    definition: Wire


class Registry(TypedDict):
    """Shared facts about what is wired, by registry key (`<action>` or `<action>[<instance>]`)."""

    bindings: dict[str, Binding]
    declared: dict[str, list[Declared]]
    """Action id → stack of declarations; the newest serves."""
    groups: dict[str, dict[str, str]]
    """Group → what it may switch: the name as it was registered → registry key."""
    dirty: bool
    """A structure change waits for its flush."""
    fingerprint: str
    navigator: NotRequired[str]
    """The work queue of the process that opens addresses."""


class Mount(TypedDict):
    """An open presence handle on a node, or on one instance of it."""

    node: str
    instance: NotRequired[str]


class Nodes(TypedDict):
    """Presence and visibility of the map's nodes."""

    present: dict[str, int]
    """Node → open handles that are not an instance's."""
    instances: dict[str, dict[str, int]]
    """Node → instance → open handles, in mount order."""
    visible: dict[str, bool]
    mounts: dict[str, Mount]
    """Group → its presence handle."""
    dormant: dict[str, int]
    """Node mounted on a page other than the cursor's → since when."""
    warned: list[str]


class Ask(TypedDict):
    """A card: a question put to a person before a high-effect fire."""

    askId: str
    affordanceId: str
    does: NotRequired[str]
    instance: NotRequired[str]
    digest: NotRequired[str]
    """Canonical digest of the normalised input; absent where it cannot be judged."""
    answer: NotRequired[Literal["approved", "declined"]]
    answeredAt: NotRequired[int]
    answerSeq: NotRequired[int]
    stateVersion: NotRequired[int]
    spent: NotRequired[bool]
    revoked: NotRequired[bool]


class Asks(TypedDict):
    """The cards that still matter to a fire."""

    live: dict[str, Ask]
    """Unanswered cards, and approvals neither spent nor withdrawn, by ask id in mint order."""
    newest: dict[str, str]
    """Action → the newest card about it that is still in the book."""
    answers: int
    """Counts answers: which of two came last is never asked of a clock."""


class Grant(TypedDict):
    """A person's standing yes for one action."""

    grantId: str
    affordanceId: str
    instance: NotRequired[str]
    expiresAt: NotRequired[int]


class Frame(TypedDict):
    """One opening of a journey; `fired` and `inferred` count each step's fires that stand."""

    number: int
    journeyId: str
    status: Literal["open", "completed", "cancelled", "demoted"]
    principal: str
    openedAt: int
    openedAtVersion: int
    fired: dict[str, int]
    inferred: dict[str, int]
    closedAtVersion: NotRequired[int]


class LatestFrame(TypedDict):
    """The latest closed frame of a journey: whether it stands completed, how many steps it did."""

    number: int
    completed: bool
    done: int


class FrameSection(TypedDict):
    """The open frame, and the latest closed one of each journey."""

    open: NotRequired[Frame]
    latest: dict[str, LatestFrame]


Carried: TypeAlias = dict[str, dict[str, list[str]]]
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
    """The latest attempts, oldest first, and how many there were: what grounds an agent."""

    fires: list[int]
    """Row numbers of the latest fires."""
    refusals: list[int]
    """Indexes in the log `gaps` of the latest attempts that were refused."""
    fireTotal: int
    refusalTotal: int


class Cause(TypedDict):
    """What a row is about and who caused it."""

    kind: Literal["fired", "stimulus"]
    principal: str
    affordanceId: NotRequired[str]
    does: NotRequired[str]
    stimulus: NotRequired[str]
    inferred: NotRequired[bool]


class Attribution(TypedDict):
    """Who a row is filed under, and on what evidence."""

    principal: str
    basis: str
    certainty: Certainty


class Record(TypedDict):
    """A transition as the wire shows it (spec: graph-session §13.1)."""

    id: str
    cause: Cause
    attribution: Attribution
    timestamp: int
    payload: NotRequired[object]
    instance: NotRequired[str]
    outcome: Outcome
    effectVerified: NotRequired[object]
    evidence: NotRequired[list[Wire]]
    fromNode: str
    toNode: NotRequired[str]
    toNodeClaimed: NotRequired[bool]
    arrival: NotRequired[Literal["claimed", "observed"]]
    unverifiedEdge: NotRequired[bool]
    guardUnevaluated: NotRequired[list[str]]
    produced: NotRequired[object]
    cursorVersion: int
    askId: NotRequired[str]
    offerId: NotRequired[str]
    materialized: NotRequired[bool]
    alreadyTrue: NotRequired[list[Wire]]
    repeated: NotRequired[Wire]
    observations: NotRequired[list[Wire]]


class Bundle(TypedDict):
    """What one row committed to state: net changes, and what its guard read."""

    seq: int
    changed: list[str]
    reads: list[str]


class Row(TypedDict):
    """A transition: the record as the wire shows it, and what only the machine needs."""

    record: Record
    n: int
    bundle: NotRequired[Bundle]
    later: NotRequired[list[Wire]]
    """What became news after the fire had settled."""
    moved: NotRequired[int]
    """The count of position reports when its claim moved the cursor; absent if it did not."""
    frame: NotRequired[int]
    """The frame that counts it as a step done."""
    refuted: NotRequired[bool]
    """Its own check said, when it came to rest, that the effect was not there."""


class Receipt(TypedDict):
    """A settlement: how a fire came to rest; written once."""

    effectStatus: EffectStatus
    outcome: Outcome
    transition: Record
    error: NotRequired[object]
    verifyHeld: NotRequired[object]
    produced: NotRequired[object]


class Offer(TypedDict):
    """A served row that a fire can cite."""

    offerId: str
    actionId: str
    node: str
    stateVersion: int
    structureVersion: int
    version: int
    servedAt: int
    guardEvaluated: list[str]
    guardUnevaluated: list[str]
    staleReads: list[str]
    staleWrites: list[str]


class Served(TypedDict):
    """Which offer each row is that was served while the world stood at these versions."""

    at: list[int]
    """State and structure version; another pair empties `offers`."""
    offers: dict[str, int]
    """Digest of a row's identity → the number of its offer."""


class Acknowledgement(TypedDict):
    """Somebody's word that they have seen a change."""

    acknowledgementId: str
    actionId: str
    offerId: NotRequired[str]
    principal: str
    keys: list[str]
    acknowledgedAtStateVersion: int
    timestamp: int


Gap: TypeAlias = Wire
Confirm: TypeAlias = Wire
FocusMove: TypeAlias = Wire


class PersonAct(TypedDict):
    """A row that is filed under a person, and the evidence when it was recorded."""

    id: str
    basis: str


class OnceReceipt(TypedDict):
    """A fire of a once action, and how many acts of people were on record when it was fired."""

    id: str
    people: int


def detached(value: T) -> T:
    """Copy a JSON value so that nothing is shared with the original."""
    return cast("T", _copy(value))


def _copy(value: object) -> object:
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return {key: _copy(item) for key, item in table.items()}
    if isinstance(value, list):
        return [_copy(item) for item in cast("list[object]", value)]
    return value
