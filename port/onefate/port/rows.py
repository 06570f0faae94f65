"""The rows that `whats_here` serves: what can be done here, and which journeys start here.

A row carries what an agent can act on and nothing else; what was read to compose it stays inside
(spec: port-settlement §7).
"""

from collections.abc import Mapping
from functools import partial
from typing import Final, Literal, NotRequired, TypedDict, cast

from onefate.broker.journey.values import Json
from onefate.broker.session import staleness
from onefate.broker.session.draft import Draft
from onefate.broker.session.frames import journey_standing
from onefate.broker.session.reads.available import ServedRows, available_journeys
from onefate.broker.session.reads.changes import changed_for
from onefate.broker.session.reads.history import together
from onefate.broker.session.reads.rows import BlockedBecause, Edge
from onefate.broker.session.reads.unblocks import what_unblocks
from onefate.broker.session.state import Principal, Wire
from onefate.port import texts
from onefate.port.tools import Port


class UnblockedBy(TypedDict):
    """An action that may clear a condition which keeps another one off."""

    action: str
    writes: list[str]
    inFlight: NotRequired[Literal[True]]


class ActionRow(TypedDict):
    """One action that can be performed, or is switched off, here and now."""

    action: str
    does: str
    goesTo: NotRequired[str]
    holds: NotRequired[Json]
    highEffect: NotRequired[Literal[True]]
    humanDecides: NotRequired[Literal[True]]
    mayInvoke: NotRequired[list[str]]
    decisionOwner: NotRequired[str]
    guardUnevaluated: NotRequired[list[str]]
    enabled: NotRequired[Literal[False]]
    blockedBecause: NotRequired[BlockedBecause]
    unblockedBy: NotRequired[list[UnblockedBy]]
    staleReads: NotRequired[list[str]]
    staleWrites: NotRequired[list[str]]
    priorFireUnsettled: NotRequired[str]
    offerId: NotRequired[str]
    busy: NotRequired[str]
    materialized: NotRequired[Literal[False]]
    instances: NotRequired[list[str]]
    enumeration: NotRequired[str]
    activation: NotRequired[str]
    expects: NotRequired[Json]


class JourneyRow(TypedDict):
    """One journey that starts on this page, or is open."""

    journey: str
    does: str
    feasible: bool
    standing: str
    feasibilityUnknownFor: NotRequired[list[str]]


class Elsewhere(TypedDict, total=False):
    """That a list of journeys is scoped to this page."""

    journeysElsewhere: int
    journeysElsewhereMeans: str


_SHOWN: Final = {
    "navigatesTo": "goesTo",
    "holds": "holds",
    "humanDecides": "humanDecides",
    "mayInvoke": "mayInvoke",
    "decisionOwner": "decisionOwner",
    "guardUnevaluated": "guardUnevaluated",
    "enabled": "enabled",
    "blockedBecause": "blockedBecause",
    "busy": "busy",
    "instances": "instances",
    "enumeration": "enumeration",
    "expects": "expects",
}
"""Keys of a served row that an agent sees, and the names it sees them under."""
_USUAL: Final = frozenset({"registered", "synced"})


def action_rows(draft: Draft, port: Port, since: int | None) -> list[ActionRow]:
    """Serve every action that is here, and carry the staleness that the rows tell."""
    principal = port.options.source
    changed = changed_for(draft, since, principal)
    served = ServedRows(draft, principal)
    together(*(partial(served.__getitem__, action) for action in served))
    return [_action_row(draft, principal, edge, changed, served) for edge in served.values()]


def _action_row(
    draft: Draft, principal: Principal, edge: Edge, changed: set[str], served: Mapping[str, Edge]
) -> ActionRow:
    told = cast("Wire", edge)
    row: Wire = {"action": edge["affordanceId"], "does": edge["description"]}
    row |= {name: told[key] for key, name in _SHOWN.items() if key in told}
    if edge["highEffect"]:
        row["highEffect"] = True
    if edge.get("materialized") is False:
        row["materialized"] = False
    if edge["activation"] not in _USUAL:
        row["activation"] = edge["activation"]
    if "mustCiteOffer" in edge and "offerRef" in edge:
        row["offerId"] = edge["offerRef"]["offerId"]
    if "enabled" in edge and (unblockers := unblocked_by(draft, edge["affordanceId"], served)):
        row["unblockedBy"] = unblockers
    open_fires = [fire["id"] for fire in draft.latches if fire["affordanceId"] == row["action"]]
    if open_fires:
        row["priorFireUnsettled"] = open_fires[-1]
    row |= _stale(draft, principal, edge, changed)
    return cast("ActionRow", row)


def _stale(draft: Draft, principal: Principal, edge: Edge, changed: set[str]) -> Wire:
    """Tell which of its keys others changed, until a fire or an acknowledgement answers (§14.5)."""
    action = edge["affordanceId"]
    moved = changed.union(staleness.carried(draft, action, principal))
    reads = [key for key in edge.get("reads", ()) if key in moved]
    writes = [key for key in edge.get("writes", ()) if key in moved]
    staleness.carry(draft, action, [*reads, *writes], principal)
    return {name: keys for name, keys in (("staleReads", reads), ("staleWrites", writes)) if keys}


def unblocked_by(draft: Draft, action: str, served: Mapping[str, Edge]) -> list[UnblockedBy]:
    """Name the actions that write a key of a condition which keeps this one off."""
    pending = {fire["affordanceId"] for fire in draft.pending}
    found: list[UnblockedBy] = []
    for other in what_unblocks(draft, action):
        row = UnblockedBy(action=other["affordanceId"], writes=other["viaKeys"])
        edge = served.get(row["action"])
        if row["action"] in pending or (edge is not None and "busy" in edge):
            row["inFlight"] = True
        found.append(row)
    return found


def journey_rows(draft: Draft) -> list[JourneyRow]:
    """List the journeys that start here, and the open one (spec: port-settlement §7.3)."""
    frame = draft.frame.get("open")
    opened = None if frame is None else frame["journeyId"]
    rows: list[JourneyRow] = []
    for journey in available_journeys(draft):
        if not journey["entryAvailable"] and journey["id"] != opened:
            continue
        row = JourneyRow(
            journey=journey["id"],
            does=journey["description"],
            feasible=journey["preconditionPassed"],
            standing=str(journey_standing(draft, journey["id"])["standing"]),
        )
        if "preconditionUnevaluable" in journey:
            row["feasibilityUnknownFor"] = journey["preconditionUnevaluable"]
        rows.append(row)
    return rows


def elsewhere(draft: Draft, listed: int) -> Elsewhere:
    """Say how many declared journeys a list leaves out; empty where it leaves out none."""
    count = len(draft.map.journeys) - listed
    if count == 0:
        return {}
    return {"journeysElsewhere": count, "journeysElsewhereMeans": texts.ELSEWHERE}
