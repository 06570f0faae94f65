"""The shapes that the read side answers with; a key that is not known is absent.

Spec: graph-session §6.1, §6.2, §6.5, §6.6.
"""

from typing import Literal, NotRequired, TypedDict

from onefate.broker.journey.conditions import FilterCondition
from onefate.broker.journey.values import Json
from onefate.broker.journey.words import ActorKind, DecisionOwner
from onefate.broker.session.reads.tree import Activation, Enumeration


class OfferRef(TypedDict):
    """Which offer a served row is."""

    offerId: str
    actionId: str
    node: str
    stateVersion: int
    structureVersion: int


class BlockedBecause(TypedDict):
    """Why a row is switched off, in the app's words."""

    says: str
    clearedBy: str


class Edge(TypedDict):
    """One action that is served here now, with everything that is known of it."""

    affordanceId: str
    description: str
    role: str
    highEffect: bool
    evidence: list[FilterCondition]
    node: str
    activation: Activation
    offerRef: NotRequired[OfferRef]
    materialized: NotRequired[bool]
    enabled: NotRequired[Literal[False]]
    blockedBecause: NotRequired[BlockedBecause]
    busy: NotRequired[str]
    holds: NotRequired[Json]
    guardUnevaluated: NotRequired[list[str]]
    expects: NotRequired[Json]
    navigatesTo: NotRequired[str]
    reads: NotRequired[list[str]]
    writes: NotRequired[list[str]]
    humanDecides: NotRequired[Literal[True]]
    mayInvoke: NotRequired[list[ActorKind]]
    decisionOwner: NotRequired[DecisionOwner]
    binding: NotRequired[Json]
    descriptionSource: NotRequired[Literal["registration"]]
    mustCiteOffer: NotRequired[Literal[True]]
    heldByPriorFire: NotRequired[Literal[True]]
    alreadyPerformed: NotRequired[Literal[True]]
    presence: NotRequired[Literal["unknown"]]
    instances: NotRequired[list[str]]
    instancesTotal: NotRequired[int]
    enumeration: NotRequired[Enumeration]


class Available(TypedDict):
    """What can be done where the session stands."""

    version: int
    node: str
    edges: list[Edge]


class Explanation(TypedDict):
    """Why an action is offered on this page or not; the tree is not asked."""

    affordanceId: str
    node: str
    offeredOnThisNode: bool
    guardPassed: bool
    available: bool
    evidence: list[FilterCondition]
    guardUnevaluated: NotRequired[list[str]]


class JourneyRow(TypedDict):
    """One declared journey, and whether it could be opened from here."""

    id: str
    description: str
    steps: list[str]
    preconditionPassed: bool
    evidence: list[FilterCondition]
    entryAvailable: bool
    preconditionUnevaluable: NotRequired[list[str]]


class Unblocker(TypedDict):
    """An action that writes what another one's failing condition reads."""

    affordanceId: str
    viaKeys: list[str]


class DecisionRow(TypedDict):
    """A person's choice: what it is about, whether it is made, and by whom where that is known."""

    affordanceId: str
    about: NotRequired[str]
    made: bool | Literal["unknown"]
    madeBy: NotRequired[str]
