"""Open work: what the app says it is still doing; it settles nothing and never expires.

Spec: graph-session §13.5.
"""

from onefate.broker.journey.values import cut
from onefate.broker.session import rows
from onefate.broker.session.draft import Draft
from onefate.broker.session.state import Row, Wire, Work, detached


def begin_work(
    draft: Draft,
    label: str | None = None,
    *,
    transition_id: str | None = None,
    inside: str | None = None,
) -> Wire:
    """Open a work row and give `{workId}`; it belongs to the named fire, else the handler's own."""
    number = draft.counters["work"]
    draft.edit(Draft.counters)["work"] = number + 1
    work = Work(workId=f"work#{number}", startedAt=draft.now, principal="system")
    if label is not None:
        work["label"] = cut(label)
    fire = _fire(draft, transition_id) or _fire(draft, inside)
    if fire is None:
        draft.warn(f"work {label or 'without a label'} belongs to no fire")
    else:
        cause = fire["record"]["cause"]
        work["transitionId"] = fire["record"]["id"]
        work["affordanceId"] = rows.action_of(fire)
        work["principal"] = cause["principal"]
        if "does" in cause:
            work["does"] = cause["does"]
    draft.edit(Draft.work)[work["workId"]] = work
    return {"workId": work["workId"]}


def _fire(draft: Draft, fire_id: str | None) -> Row | None:
    row = None if fire_id is None else rows.find(draft, fire_id)
    return row if row is not None and rows.is_fire(row) else None


def done(draft: Draft, work_id: str, error: object = None) -> None:
    """Close a work row; the first close counts, and an error stays with the developer."""
    if work_id not in draft.work:
        return
    del draft.edit(Draft.work)[work_id]
    if error is not None:
        draft.warn(f"{work_id} ended with an error")


def open_work(draft: Draft) -> list[Work]:
    """Give the open work, oldest first."""
    return [detached(work) for work in draft.work.values()]
