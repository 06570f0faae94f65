"""A fire: judged by every gate, recorded once, at rest at once or open until somebody settles it.

Gates, record, version, spending, receipts and the order to run are one decision (law fire:atomic);
the handler runs after it has been committed (spec: graph-session §9).
"""

from typing import Literal, TypeAlias

from onefate.broker.journey import Filter
from onefate.broker.journey.conditions import FilterCondition, evaluate
from onefate.broker.journey.routes import literal_address
from onefate.broker.journey.values import redacted
from onefate.broker.session import concurrency, gaps, motion, rows, settle, staleness, verdict
from onefate.broker.session.attempt import Attempt, FireOptions
from onefate.broker.session.draft import Draft, FireOrder
from onefate.broker.session.facts import NAVIGATE
from onefate.broker.session.gates import first_refusal
from onefate.broker.session.state import ABSENT, Attribution, Cause, Pending, Row, Wire, detached

__all__ = ["FireOptions", "fire"]

Arm: TypeAlias = Literal["awaits-report", "awaits-handler", "commits", "rests"]


def fire(draft: Draft, action_id: str, options: FireOptions | None = None) -> Wire:
    """Fire an action, and give what is true at this instant, or the refusal of the first gate.

    Accepted: `{ok, transition, version, settlement, effectStatus, …}`; `effectStatus` is never
    `performed` here. Refused: `{ok: false, reason, …}`, and nothing has moved but the ledger of
    gaps.
    """
    attempt = Attempt(draft, action_id, options or FireOptions())
    refused = first_refusal(attempt)
    if refused is not None:
        _note_refusal(attempt, refused)
        return {"ok": False, **refused}
    return _accepted(attempt)


def _note_refusal(attempt: Attempt, refused: Wire) -> None:
    action = attempt.action
    unwired = refused["reason"] == "NOT_MATERIALIZED" and action is not None
    gaps.refusal(
        attempt.draft,
        attempt.action_id,
        str(refused["reason"]),
        attempt.options.source,
        evidence=refused.get("evidence"),
        gesture=gaps.gesture_kind(action) if unwired and action is not None else None,
    )


def _accepted(attempt: Attempt) -> Wire:
    draft, action = attempt.draft, attempt.known
    if attempt.is_tour:
        gesture = gaps.gesture_kind(action)
        facts = {"affordanceId": action.id, "gestureKind": gesture}
        gaps.note(draft, "unmaterialized-fire", attempt.options.source, **facts)
    path = draft.placed(action.id) or draft.position["node"]
    already = [] if attempt.is_tour else _already_true(attempt)
    row = _record(attempt, already)
    arm = _arm(attempt, already=bool(already))
    _go(attempt, row, arm)
    motion.focus_fired(draft, action.id, attempt.options.source, path)
    return _answer(attempt, row, arm)


def _already_true(attempt: Attempt) -> list[FilterCondition]:
    """Give the conditions that say the effect is there before anything has run (spec: §9.6)."""
    action, draft = attempt.known, attempt.draft
    contract = action.verify
    if not action.verify_covers_writes or not isinstance(contract, Filter):
        return []
    if action.goes_to not in (None, draft.position["node"]):
        return []
    judged = evaluate(contract, draft.state, draft.options.redacted_keys)
    return list(judged.conditions) if judged.verdict == "held" else []


def _record(attempt: Attempt, already: list[FilterCondition]) -> Row:
    draft, action, options = attempt.draft, attempt.known, attempt.options
    source = options.source
    cause = Cause(kind="fired", principal=source, affordanceId=action.id, does=action.description)
    filed = Attribution(principal=source, basis="caller-asserted", certainty="observed")
    row = rows.mint(draft, action.id, cause, filed, "pending")
    _fill(attempt, row, already)
    fire_id = row["record"]["id"]
    carried = verdict.spend(draft, attempt, fire_id)
    if carried is not None:
        row["record"]["askId"] = carried
    elif source == "agent" and action.high_effect and not draft.options.approval_mentioned:
        draft.warn("an agent performs a high effect and no session option speaks of approval")
    goal = None if attempt.is_tour else action.goes_to
    motion.open_claim(draft, row, goal)
    draft.version_up()
    staleness.clear(draft, action.id, source)
    settle.note_fire(draft, row)
    if action.concurrency.mode == "once":
        concurrency.note_once(draft, action, fire_id, attempt.payload, options.instance)
    return row


def _fill(attempt: Attempt, row: Row, already: list[FilterCondition]) -> None:
    record, options = row["record"], attempt.options
    record["evidence"] = [dict(condition) for condition in attempt.guard.conditions]
    if attempt.guard.unevaluable:
        record["guardUnevaluated"] = list(attempt.guard.unevaluable)
    if attempt.payload is not ABSENT:
        record["payload"] = redacted(attempt.payload, attempt.draft.options.redacted_payload)
    if options.instance is not None:
        record["instance"] = options.instance
    if options.offer_id is not None:
        record["offerId"] = options.offer_id
    if attempt.is_tour:
        record["materialized"] = False
    if already:
        record["alreadyTrue"] = [dict(condition) for condition in already]
    if attempt.repeated is not None:
        record["repeated"] = attempt.repeated


def _arm(attempt: Attempt, *, already: bool) -> Arm:
    """Choose what the fire waits for (spec: §9.4)."""
    reported = attempt.draft.options.state_tap and not attempt.is_tour and not already
    if attempt.known.writes and reported:
        return "awaits-report"
    if attempt.known.writes and attempt.runs:
        return "awaits-handler"
    return "commits" if attempt.runs else "rests"


def _go(attempt: Attempt, row: Row, arm: Arm) -> None:
    draft, action, fire_id = attempt.draft, attempt.known, row["record"]["id"]
    if arm != "rests":
        latch = concurrency.latch_of(
            draft, action, fire_id, attempt.payload, attempt.options.instance
        )
        draft.replace(Draft.latches, [*draft.latches, latch])
    if arm in ("awaits-report", "awaits-handler"):
        waiting = Pending(
            id=fire_id,
            affordanceId=action.id,
            does=action.description,
            firedAt=draft.now,
            writes=list(action.writes or ()),
            onCompletion=arm == "awaits-handler",
        )
        draft.replace(Draft.pending, [*draft.pending, waiting])
    else:
        settle.settle(draft, row, {})
    if arm == "rests":
        settle.retain(draft, row, "unobservable")
        if action.concurrency.mode == "once":
            instance = attempt.options.instance
            subject = concurrency.subject_of(draft, action, attempt.payload, instance)
            concurrency.settle_once(draft, subject, fire_id, refused=False)
    draft.decision.fires.append(_order(attempt, fire_id))


def _order(attempt: Attempt, fire_id: str) -> FireOrder:
    draft, action = attempt.draft, attempt.known
    key = attempt.binding if attempt.runs else None
    navigates = key == NAVIGATE
    navigator = draft.registry.get("navigator") if navigates else None
    binding = None if key is None or navigates else draft.registry["bindings"][key]
    return FireOrder(
        id=fire_id,
        action=action.id,
        principal=attempt.options.source,
        payload=attempt.payload,
        instance=attempt.options.instance,
        binding=None if navigates else key,
        queue=navigator if binding is None else binding.get("queue"),
        href=literal_address(action, draft.map.routes) if navigates else None,
    )


def _answer(attempt: Attempt, row: Row, arm: Arm) -> Wire:
    waits = arm in ("awaits-report", "awaits-handler")
    answer: Wire = {
        "ok": True,
        "transition": detached(row["record"]),
        "version": attempt.draft.counters["version"],
        "settlement": "awaiting-state" if waits else "settled",
        "effectStatus": "unobservable" if arm == "rests" else "pending",
    }
    if attempt.is_tour:
        answer["executed"] = False
        answer["materialized"] = False
    for key in ("alreadyTrue", "repeated"):
        if key in row["record"]:
            answer[key] = detached(row["record"].get(key))
    return answer
