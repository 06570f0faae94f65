"""Reports: what the app says has become of its state, and which fire that settles.

The ladder (spec: graph-session §8.2; departures 1 and 2): the fire that is named; the fire whose
handler reports; the one pending fire whose declared writes the report names in full; an action
nobody fired, inferred; else a row that nobody fired. State never moves silently.
"""

from collections.abc import Mapping
from typing import Final

from onefate.broker.journey import Action, input_digest
from onefate.broker.journey.conditions import Evaluation, evaluate
from onefate.broker.journey.values import nests_deeper
from onefate.broker.session import frames, motion, rows, settle, texts
from onefate.broker.session.draft import Draft
from onefate.broker.session.state import ABSENT, Attribution, Cause, Certainty, Pending, Row, Wire
from onefate.broker.session.state import detached as copied

_UNNAMED: Final = "unknown"
DEEPEST: Final = 64
"""Levels of lists and objects in a report."""


def update_state(  # noqa: PLR0913 - everything one report says
    draft: Draft,
    delta: Mapping[str, object],
    *,
    transition_id: str | None = None,
    stimulus: str | None = None,
    principal: str | None = None,
    inside: str | None = None,
) -> Wire:
    """Take a state report, and give `{ok, attributed, transition, version}` or why it is refused.

    `inside` is the fire whose handler reports. A stimulus or a principal makes the report a row of
    its own, which settles nothing.
    """
    known = {key: value for key, value in delta.items() if value is not ABSENT}
    if input_digest(known) is None or nests_deeper(known, DEEPEST):
        return {"ok": False, "reason": "UNCLONEABLE_DELTA", "issues": texts.NOT_CLONEABLE}
    if transition_id is not None:
        return _named(draft, transition_id, known)
    if stimulus is not None or principal is not None:
        return _stimulus(draft, known, stimulus, principal)
    if inside is not None:
        return _within(draft, inside, known)
    return _bare(draft, known)


def _named(draft: Draft, fire_id: str, delta: Mapping[str, object]) -> Wire:
    waiting = settle.dequeue(draft, fire_id)
    if waiting is not None:
        return _settled(draft, waiting, delta, "named-by-report", "observed")
    row = rows.find(draft, fire_id)
    if row is not None and not rows.is_fire(row):
        return {"ok": False, "reason": "NOT_A_FIRE", "transitionId": fire_id}
    _keep_news(draft, fire_id, delta)
    pending = [fire["id"] for fire in draft.pending]
    return {"ok": False, "reason": "UNKNOWN_TRANSITION", "pending": pending}


def _keep_news(draft: Draft, fire_id: str, delta: Mapping[str, object]) -> None:
    known = rows.find(draft, fire_id)
    if known is None or not rows.is_fire(known) or settle.is_open(draft, fire_id):
        return
    settle.later(draft, rows.edit(draft, fire_id), "reported", keys=list(delta))


def _within(draft: Draft, fire_id: str, delta: Mapping[str, object]) -> Wire:
    waiting = settle.dequeue(draft, fire_id)
    if waiting is not None:
        return _settled(draft, waiting, delta, "handler-window", "observed")
    _keep_news(draft, fire_id, delta)
    return _stimulus(draft, delta, None, None)


def _bare(draft: Draft, delta: Mapping[str, object]) -> Wire:
    if not draft.pending:
        action = _only_explanation(draft, delta)
        return (
            _stimulus(draft, delta, None, None) if action is None else _infer(draft, action, delta)
        )
    met = [fire for fire in draft.pending if all(key in delta for key in fire["writes"])]
    rivals = [fire for fire in draft.pending if any(key in delta for key in fire["writes"])]
    if len(met) != 1 or (draft.options.strict and len(rivals) != 1):
        return _stimulus(draft, delta, None, None)
    settle.dequeue(draft, met[0]["id"])
    return _settled(draft, met[0], delta, "signature-match", "inferred")


def _settled(
    draft: Draft, fire: Pending, delta: Mapping[str, object], basis: str, certainty: Certainty
) -> Wire:
    row = rows.edit(draft, fire["id"])
    settle.restamp(row, basis, certainty)
    settle.settle(draft, row, delta, fire["writes"])
    decider = row["record"]["cause"]["principal"] if certainty == "observed" else None
    _note_decisions(draft, delta, decider)
    settle.come_to_rest(draft, row)
    return _answer(draft, row, attributed=True)


def _answer(draft: Draft, row: Row, *, attributed: bool) -> Wire:
    return {
        "ok": True,
        "attributed": attributed,
        "transition": copied(row["record"]),
        "version": draft.counters["version"],
    }


def _only_explanation(draft: Draft, delta: Mapping[str, object]) -> Action | None:
    """Give the one wired action on this page whose declared writes the report names in full."""
    page, bindings = draft.position["node"], draft.registry["bindings"]
    found = [
        action
        for action in draft.actions()
        if action.id in bindings
        and page in action.on
        and action.writes
        and all(key in delta for key in action.writes)
        and evaluate(action.guard, draft.state).matched
    ]
    return found[0] if len(found) == 1 else None


def _infer(draft: Draft, action: Action, delta: Mapping[str, object]) -> Wire:
    judged = evaluate(action.guard, draft.state, draft.options.redacted_keys)
    cause = Cause(
        kind="fired",
        principal=_UNNAMED,
        affordanceId=action.id,
        does=action.description,
        inferred=True,
    )
    filed = Attribution(principal=_UNNAMED, basis="signature-match", certainty="inferred")
    row = rows.mint(draft, action.id, cause, filed)
    _fill_inferred(row, judged)
    rows.commit_state(draft, row, delta, action.guard_keys)
    motion.open_claim(draft, row, None)
    rows.count_state(draft, delta)
    frames.note_step(draft, row, inferred=True)
    _note_decisions(draft, delta, None)
    settle.note_fire(draft, row)
    settle.retain(draft, row, "unobservable")
    frames.check_demotion(draft)
    return _answer(draft, row, attributed=False)


def _fill_inferred(row: Row, judged: Evaluation) -> None:
    record = row["record"]
    record["effectVerified"] = True
    record["evidence"] = [dict(condition) for condition in judged.conditions]
    if judged.unevaluable:
        record["guardUnevaluated"] = list(judged.unevaluable)
    record["toNode"] = record["fromNode"]


def _stimulus(
    draft: Draft, delta: Mapping[str, object], stimulus: str | None, principal: str | None
) -> Wire:
    hinted = stimulus is not None or principal is not None
    word = stimulus or "unknown"
    cause = Cause(kind="stimulus", principal=principal or "system", stimulus=word)
    filed = Attribution(
        principal=principal or _UNNAMED,
        basis="declared-stimulus" if hinted else "unknown",
        certainty="observed" if hinted else "unknown",
    )
    row = rows.mint(draft, f"stimulus:{word}", cause, filed)
    rows.observe_nothing(row)
    rows.commit_state(draft, row, delta)
    rows.count_state(draft, delta)
    _note_decisions(draft, delta, principal)
    frames.check_demotion(draft)
    return _answer(draft, row, attributed=False)


def _note_decisions(draft: Draft, delta: Mapping[str, object], decider: str | None) -> None:
    """Note who decided what this report touches, or that nobody is known to have (spec: §8.3)."""
    for action in draft.actions():
        decides = action.human_decides
        if decides is None or decides.done_when is None:
            continue
        if not any(key in delta for key in decides.done_when.keys):
            continue
        if decider is not None:
            draft.edit(Draft.decided)[action.id] = decider
        elif action.id in draft.decided:
            del draft.edit(Draft.decided)[action.id]
