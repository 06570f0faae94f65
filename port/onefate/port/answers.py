"""The shapes of every answer a call gives, with the keys of the wire.

An absent key says "not known" or "nothing to say"; none is ever null. `ok` is false if the call did
not do what was asked, pauses included; it says nothing about whether the app failed. Which shape an
answer has is told by `judgment`, and where that is absent by `settled`, `transitionId`, `actions`
and `key` (spec: port-settlement §2 to §9, §25).
"""

# ruff: noqa: N815 - keys as on the wire

from typing import Literal, NotRequired, TypeAlias, TypedDict

from onefate.broker.session.reads.receipts import CardReceipts
from onefate.broker.session.reads.rows import BlockedBecause
from onefate.broker.session.state import Wire
from onefate.port.facts import SettledFacts
from onefate.port.position import Position
from onefate.port.rows import ActionRow, Elsewhere, JourneyRow, UnblockedBy


class UnknownTool(TypedDict):
    """No tool of this name; the only answer without position."""

    ok: Literal[False]
    judgment: Literal["error"]
    reason: Literal["UNKNOWN_TOOL"]
    tools: list[str]


class WaitingCard(TypedDict):
    """A card nobody has answered."""

    askId: str
    action: str


class Failed(Position):
    """The call could not be understood, or named nothing: nothing was performed."""

    ok: Literal[False]
    judgment: Literal["error"]
    reason: str
    why: NotRequired[str]
    journey: NotRequired[str]
    journeys: NotRequired[list[str]]
    journeysElsewhere: NotRequired[int]
    journeysElsewhereMeans: NotRequired[str]
    keptFrame: NotRequired[str]
    steps: NotRequired[list[str]]
    actions: NotRequired[list[str]]
    pages: NotRequired[list[str]]
    evidence: NotRequired[list[Wire]]
    guardUnevaluated: NotRequired[list[str]]
    pending: NotRequired[list[str]]
    awaitingSettlement: NotRequired[list[str]]
    awaitingHuman: NotRequired[list[WaitingCard]]
    askId: NotRequired[str]
    askedAbout: NotRequired[str]
    did: NotRequired[str]
    argument: NotRequired[str]
    limit: NotRequired[int]


class Hop(TypedDict):
    """One step of a way."""

    action: str
    to: str


class Way(TypedDict):
    """How a page is reached, if the map declares it."""

    to: str
    alreadyHere: NotRequired[Literal[True]]
    hops: NotRequired[list[Hop]]
    means: NotRequired[str]
    why: NotRequired[str]


class Looked(Position, Elsewhere):
    """What `whats_here` shows."""

    ok: Literal[True]
    facts: str
    brief: str
    actions: list[ActionRow]
    journeys: list[JourneyRow]
    routeTo: NotRequired[Way]


class Caused(Position):
    """What `why` shows."""

    ok: Literal[True]
    key: str
    why: str


class WaitingStep(TypedDict):
    """A step with a card that nobody has answered."""

    askId: str
    step: str


class DecidedStep(TypedDict):
    """A step that is a person's choice."""

    step: str
    made: bool | Literal["unknown"]
    about: NotRequired[str]


class ReadyStep(TypedDict):
    """A step that can be taken now."""

    step: str
    does: str
    goesTo: NotRequired[str]
    highEffect: NotRequired[Literal[True]]
    guardUnevaluated: NotRequired[list[str]]
    materialized: NotRequired[Literal[False]]
    busy: NotRequired[str]
    expects: NotRequired[object]


class LaterStep(TypedDict):
    """A step that is done, or cannot be taken now."""

    step: str
    status: Literal["done", "inferred-done", "blocked", "ready", "off-node"]
    humanDecides: NotRequired[Literal[True]]
    enabled: NotRequired[Literal[False]]
    blockedBecause: NotRequired[BlockedBecause]
    unblockedBy: NotRequired[list[UnblockedBy]]
    busy: NotRequired[str]


class FrameKeys(TypedDict, total=False):
    """What a journey's answer tells of its frame."""

    journey: str
    frame: Literal["open", "completed"]
    standing: str
    awaitingState: list[str]
    awaitingHuman: list[WaitingStep]
    withTheHuman: list[DecidedStep]
    withTheHumanMeans: str
    readySteps: list[ReadyStep]
    laterSteps: list[LaterStep]
    howToAct: str


class FrameShown(Position, FrameKeys):
    """An open journey, or one that has just been completed."""

    ok: Literal[True]
    judgment: Literal["done", "needs-choice", "one-ready-step", "navigate-or-wait"]


class Blocked(Position):
    """A journey that did not open."""

    ok: Literal[False]
    judgment: Literal["blocked"]
    journey: str
    why: str
    evidence: list[Wire]
    keptFrame: NotRequired[str]


class SettleWith(TypedDict):
    """Where to ask how a fire came out."""

    tool: str
    arg: Literal["transitionId"]


class Fired(Position, FrameKeys):
    """A fire was recorded; the only answer of an acting call with a `transitionId`."""

    ok: Literal[True]
    did: str
    settlement: Literal["settled", "awaiting-state"]
    effectStatus: Literal["pending", "unobservable"]
    transitionId: str
    judgment: NotRequired[str]
    howToSettle: NotRequired[str]
    settleWith: NotRequired[SettleWith]
    guardUnevaluated: NotRequired[list[str]]
    executed: NotRequired[Literal[False]]
    materialized: NotRequired[Literal[False]]
    alreadyTrue: NotRequired[list[Wire]]
    why: NotRequired[str]
    toNodeClaimed: NotRequired[Literal[True]]


class Rejected(Position, FrameKeys):
    """A gate turned the attempt away; there is no fire."""

    ok: Literal[False]
    judgment: Literal["rejected"]
    did: str
    reason: str
    why: NotRequired[str]
    limit: NotRequired[int]
    node: NotRequired[str]
    evidence: NotRequired[list[Wire]]
    issues: NotRequired[str]
    expects: NotRequired[object]
    retriable: NotRequired[Literal[True]]
    blockedBecause: NotRequired[BlockedBecause]
    busy: NotRequired[str]
    instances: NotRequired[list[str]]
    pendingTransitionId: NotRequired[str]
    priorTransitionId: NotRequired[str]
    scope: NotRequired[Literal["action", "instance", "payload"]]
    offerId: NotRequired[str]
    offeredFor: NotRequired[str]
    moved: NotRequired[list[Wire]]
    acknowledgementId: NotRequired[str]
    required: NotRequired[list[str]]
    attempted: NotRequired[str]
    needs: NotRequired[Literal["observability", "postcondition"]]
    observability: NotRequired[str]
    askId: NotRequired[str]
    differs: NotRequired[str]


class NeedsConfirm(Position, FrameKeys):
    """Nothing was performed: a question for a person. Enforced refusals name `did` and `reason`."""

    ok: Literal[False]
    judgment: Literal["needs-confirm"]
    performed: Literal[False]
    why: str
    does: str
    askId: str
    receipts: CardReceipts
    action: NotRequired[str]
    step: NotRequired[str]
    did: NotRequired[str]
    reason: NotRequired[Literal["APPROVAL_REQUIRED"]]


class Declined(Position):
    """A person's no was passed on; `askId` where it answered a card."""

    ok: Literal[False]
    judgment: Literal["declined"]
    action: NotRequired[str]
    journey: NotRequired[str]
    step: NotRequired[str]
    askId: NotRequired[str]
    recordedAs: NotRequired[Literal["your-report"]]
    why: NotRequired[str]


class StillPending(Position):
    """The fire has not come to rest; `evidence` says what is known of it in flight."""

    ok: Literal[True]
    settled: Literal[False]
    judgment: Literal["still-pending"]
    did: str
    howToAct: str
    stillWorking: NotRequired[Literal[True]]
    stillWorkingMeans: NotRequired[str]
    evidence: NotRequired[Wire]


class CardTold(Position):
    """How a card stands that let nothing pass yet."""

    ok: Literal[True]
    settled: Literal[False]
    performed: Literal[False]
    judgment: Literal[
        "awaiting-human",
        "declined",
        "approved-not-yet-done",
        "approval-no-longer-valid",
        "approval-withdrawn",
    ]
    askId: str
    did: str
    howToAct: str


class Settled(Position, SettledFacts):
    """How the fire came to rest."""

    ok: Literal[True]
    settled: Literal[True]
    did: str


Answer: TypeAlias = (
    UnknownTool
    | Failed
    | Looked
    | Caused
    | FrameShown
    | Blocked
    | Fired
    | Rejected
    | NeedsConfirm
    | Declined
    | StillPending
    | CardTold
    | Settled
)
