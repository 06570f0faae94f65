"""Gaps: what was asked for and did not happen, kept with what was on offer instead.

Append-only (spec: graph-session §13.4).
"""

from typing import Final

from onefate.broker.journey import Action
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.page import served_ids
from onefate.broker.session.state import Gap, Wire

LONGEST_NOTE: Final = 500
RECENT: Final = 20
_REASONS: Final = frozenset(
    {"no-journey-matched", "guard-blocked", "needs-backend-data", "sensor-drift", "other"}
)


def note(draft: Draft, kind: str, principal: str | None = None, **facts: object) -> None:
    """Append a gap row; facts that are None are left out. What is on offer is looked at anew."""
    row: Gap = {
        "kind": kind,
        "timestamp": draft.now,
        "node": draft.position["node"],
        "version": draft.counters["version"],
        "availableActions": served_ids(draft),
        "availableJourneys": list(draft.map.journeys),
    }
    if draft.position["node"] not in draft.map.pages:
        row["offGraph"] = True
    told = {**facts, "principal": principal}
    row.update({key: value for key, value in told.items() if value is not None})
    draft.gaps.append(row)
    if kind == "fire-rejected" or row.get("actionsMayBeStale"):
        _attempted(draft)


def _attempted(draft: Draft) -> None:
    recent = draft.edit(Draft.recent)
    recent["refusalTotal"] += 1
    recent["refusals"] = [*recent["refusals"], len(draft.gaps) - 1][-RECENT:]


def refusal(  # noqa: PLR0913 - the facts of one refused attempt
    draft: Draft,
    action_id: str,
    reason: str,
    principal: str,
    *,
    evidence: object = None,
    gesture: str | None = None,
) -> None:
    """Append the row of a fire that a gate turned away."""
    action = draft.action(action_id)
    note(
        draft,
        "fire-rejected",
        affordanceId=action_id,
        does=None if action is None else action.description,
        rejectionReason=reason,
        principal=principal,
        evidence=evidence,
        gestureKind=gesture,
    )


def gesture_kind(action: Action) -> str | None:
    """Give the kind of gesture an action declares, if any."""
    kind = None if action.binding is None else action.binding.get("kind")
    return kind if isinstance(kind, str) else None


def report_gap(draft: Draft, gap: Wire, principal: str | None = None) -> None:
    """Append what somebody found missing; texts are cut at 500 characters.

    A `principal` that is known outranks the one that the gap itself names.
    """
    request, extra = gap.get("request"), gap.get("note")
    reason = gap.get("reason")
    said = gap.get("principal")
    note(
        draft,
        "reported",
        request=request[:LONGEST_NOTE] if isinstance(request, str) else None,
        reason=reason if isinstance(reason, str) and reason in _REASONS else "other",
        note=extra[:LONGEST_NOTE] if isinstance(extra, str) else None,
        principal=principal or (said if isinstance(said, str) else None),
        actionsMayBeStale=True if gap.get("actionsMayBeStale") is True else None,
    )
