"""Freshness: a fire may have to answer the row that was served, in a world that has not moved.

One gate (spec: graph-session §10.2, §10.3; departure 19).
"""

from typing import cast

from onefate.broker.journey import Action
from onefate.broker.journey.words import FreshnessAnswer
from onefate.broker.session import acknowledge, offers
from onefate.broker.session.attempt import Attempt
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.changes import changed_for
from onefate.broker.session.state import Acknowledgement, Offer, Wire


def enforces(draft: Draft, action: Action) -> bool:
    """Say whether a fire of this action must cite its offer."""
    return any(answer != "disclose" for answer in _policy(draft, action).values())


def _policy(draft: Draft, action: Action) -> dict[str, FreshnessAnswer]:
    own, session = action.freshness, draft.options.freshness
    axes: dict[str, FreshnessAnswer] = {}
    for axis, name in _AXES.items():
        said = None if own is None else cast("FreshnessAnswer | None", getattr(own, name))
        fallback = cast("FreshnessAnswer | None", getattr(session, name))
        axes[axis] = said or fallback or "disclose"
    return axes


_AXES = {
    "guard": "guard_changes",
    "reads": "read_changes",
    "writes": "write_changes",
    "position": "position_changes",
}


def refusal(attempt: Attempt) -> Wire | None:
    """Say why the attempt is not fresh enough, None where it is."""
    draft, action = attempt.draft, attempt.known
    if not enforces(draft, action):
        return None
    offer_id = attempt.options.offer_id
    if offer_id is None:
        excused = attempt.options.source == "user" or not attempt.options.invoke
        return None if excused else {"reason": "OFFER_REQUIRED", "affordanceId": action.id}
    offer = offers.find(draft, offer_id)
    if offer is None or offer["actionId"] != action.id:
        return _off_record(draft, action, offer_id, offer)
    moved = _moved(draft, action, offer, attempt.options.source)
    return _judge(attempt, offer_id, moved) if moved else None


def _off_record(draft: Draft, action: Action, offer_id: str, offer: Offer | None) -> Wire:
    refused: Wire = {
        "reason": "OFFER_NOT_ON_RECORD",
        "affordanceId": action.id,
        "offerId": offer_id,
    }
    if offer is None:
        return {**refused, "why": offers.standing(draft, offer_id)}
    return {**refused, "why": "other-action", "offeredFor": offer["actionId"]}


def _moved(draft: Draft, action: Action, offer: Offer, principal: str) -> list[Wire]:
    policy = _policy(draft, action)
    changed = changed_for(draft, offer["version"], principal)
    watched = {
        "guard": [*offer["guardEvaluated"], *offer["guardUnevaluated"]],
        "reads": action.reads or (),
        "writes": action.writes or (),
    }
    moved: list[Wire] = []
    for axis, keys in watched.items():
        hit = [key for key in keys if key in changed]
        if hit and policy[axis] != "disclose":
            moved.append({"axis": axis, "response": policy[axis], "keys": hit})
    here = (draft.position["node"], draft.counters["structureVersion"])
    if policy["position"] != "disclose" and here != (offer["node"], offer["structureVersion"]):
        hop = {"from": offer["node"], "to": here[0]}
        moved.append({"axis": "position", "response": policy["position"], **hop})
    return moved


def _judge(attempt: Attempt, offer_id: str, moved: list[Wire]) -> Wire | None:
    refused: Wire = {"affordanceId": attempt.action_id, "offerId": offer_id, "moved": moved}
    if any(row["response"] == "refuse" for row in moved):
        return {"reason": "WORLD_MOVED", **refused}
    cited = attempt.options.acknowledgement_id
    if cited is not None:
        refused["acknowledgementId"] = cited
    row = None if cited is None else acknowledge.find(attempt.draft, cited)
    if row is None or not _covers(row, attempt.action_id, offer_id, moved):
        if cited and acknowledge.standing(attempt.draft, cited) == "evicted":
            refused["why"] = "evicted"
        return {"reason": "ACKNOWLEDGEMENT_REQUIRED", **refused}
    if row["acknowledgedAtStateVersion"] != attempt.draft.counters["stateVersion"]:
        return {"reason": "ACKNOWLEDGEMENT_STALE", **refused}
    return None


def _covers(row: Acknowledgement, action_id: str, offer_id: str, moved: list[Wire]) -> bool:
    keys = {key for axis in moved for key in cast("list[str]", axis.get("keys", []))}
    return (
        row["actionId"] == action_id
        and row.get("offerId", offer_id) == offer_id
        and (not row["keys"] or keys.issubset(row["keys"]))
    )
