"""What others say of a fire: its handler, the app that rejects it, an outside source.

Each may settle it; whoever comes after the settlement moves the row or is kept as a later fact
(spec: graph-session §9.5, §9.7, port-settlement §11.4-11.7; departures 6, 13).
"""

from typing import Final, Literal, TypeAlias

from onefate.broker.journey.scalars import is_blank
from onefate.broker.journey.values import ABSENT, bounded, cut, redacted, returned_failure
from onefate.broker.session import life, rows, settle, texts
from onefate.broker.session.draft import Draft
from onefate.broker.session.errors import NotAFire, NothingToReject
from onefate.broker.session.raised import error_words
from onefate.broker.session.state import Row, Wire, detached

Rejection: TypeAlias = Literal["rejected", "rolled-back", "superseded"]


def handler_started(draft: Draft, fire_id: str) -> bool:
    """Say whether the handler may start: nothing starts for a fire at rest (departure 6)."""
    return settle.is_open(draft, fire_id)


def handler_returned(draft: Draft, fire_id: str, value: object) -> None:
    """Take what a handler returned: a failure if it says so, else the fire's data.

    A fire that awaits a state report stays open; any other comes to rest.
    """
    failure = returned_failure(value)
    if failure is not None:
        _failed(draft, fire_id, failure.reason)
        return
    if rows.find(draft, fire_id) is None:
        return
    row = rows.edit(draft, fire_id)
    if draft.options.capture_produced and value is not None and value is not ABSENT:
        kept = redacted(bounded(value), draft.options.redacted_produced)
        row["record"]["produced"] = kept
    waiting = next((fire for fire in draft.pending if fire["id"] == fire_id), None)
    if waiting is None:
        if not settle.is_open(draft, fire_id) and row["record"]["outcome"] in rows.UNDONE:
            settle.later(draft, row, "handler-returned")
        settle.come_to_rest(draft, row)
    elif waiting["onCompletion"]:
        settle.dequeue(draft, fire_id)
        settle.settle(draft, row, {})
        settle.come_to_rest(draft, row)


def handler_threw(draft: Draft, fire_id: str, error: object) -> None:
    """Take what a handler raised, in its wire form (see `raised`): the fire has failed."""
    _failed(draft, fire_id, error)


def _failed(draft: Draft, fire_id: str, error: object) -> None:
    if rows.find(draft, fire_id) is None:
        return
    row = rows.edit(draft, fire_id)
    draft.warn(f"the handler of {rows.action_of(row)} failed")
    if not settle.is_open(draft, fire_id):
        settle.later(draft, row, "handler-failed", error=error_words(error))
    settle.fail(draft, row, error)


def reject(draft: Draft, fire_id: str, outcome: Rejection | None = None) -> Row:
    """Let the app take a fire back, settled or not; nothing is undone in state.

    A handler that has not started never will. On a settled fire only the row moves.

    Raises:
        NotAFire: nobody fired that row.
        NothingToReject: no such fire, or it has come to nothing already.
    """
    known = rows.find(draft, fire_id)
    if known is None:
        raise NothingToReject(fire_id)
    if not rows.is_fire(known):
        raise NotAFire(fire_id)
    event: life.Event = "superseded" if outcome == "superseded" else "rejected"
    after = life.after(known["record"], event)
    if after is None:
        raise NothingToReject(fire_id)
    row = rows.edit(draft, fire_id)
    settle.dequeue(draft, fire_id)
    row["record"]["outcome"] = outcome or after
    draft.version_up()
    settle.close(draft, row, life.SETTLES[event])
    if event == "rejected":
        settle.come_to_nothing(draft, row)
    return row


_STATUSES: Final = ("performed", "refused")


def observe_effect(draft: Draft, fire_id: str, report: Wire) -> Wire:
    """Take an outside source's word on a fire: it settles an open one, a settled one keeps it.

    It never moves state. A report that cannot be taken is refused by value.
    """
    issues = _issues(report)
    if issues:
        return {"ok": False, "reason": "INVALID_OBSERVATION", "issues": issues}
    known = rows.find(draft, fire_id)
    if known is None:
        awaiting = settle.awaiting_settlement(draft)
        return {"ok": False, "reason": "UNKNOWN_TRANSITION", "awaiting": awaiting}
    if not rows.is_fire(known):
        return {"ok": False, "reason": "NOT_A_FIRE", "transitionId": fire_id}
    row = rows.edit(draft, fire_id)
    status = report["status"]
    observation: Wire = {"source": cut(str(report["source"])), "status": status}
    if isinstance(report.get("evidenceRef"), str):
        observation["evidenceRef"] = cut(str(report["evidenceRef"]))
    kept = {**observation, "recordedAt": draft.now}
    row["record"].setdefault("observations", []).append(kept)
    was_open = settle.is_open(draft, fire_id)
    if was_open:
        _settle_by_observation(draft, row, status)
    else:
        settle.later(draft, row, "observed", **observation)
    return {"ok": True, "transition": detached(row["record"]), "settled": was_open}


def _settle_by_observation(draft: Draft, row: Row, status: object) -> None:
    settle.restamp(row, "external-report", "observed")
    if status == "refused":
        error: Wire = {"reason": "EXTERNAL_REFUSAL", "explanation": texts.EXTERNAL_REFUSAL}
        error["source"] = row["record"].get("observations", [{}])[-1].get("source")
        settle.fail(draft, row, error)
        return
    if settle.dequeue(draft, row["record"]["id"]) is not None:
        settle.settle(draft, row, {})
    settle.come_to_rest(draft, row)


def _issues(report: Wire) -> list[str]:
    issues: list[str] = []
    source = report.get("source")
    if not isinstance(source, str) or is_blank(source):
        issues.append("source must be a text that is not blank")
    if report.get("status") not in _STATUSES:
        issues.append("status must be one of: performed, refused")
    if not isinstance(report.get("evidenceRef", ""), str):
        issues.append("evidenceRef must be a text")
    return issues
