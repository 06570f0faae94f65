"""How a fire comes to rest: one commit of its state, one settlement, written once.

Nothing here looks at a clock. A fire is open while its latch is; closing it writes the receipt, and
what happens afterwards moves the row and is kept beside the receipt, never in it (spec:
graph-session §9.5-9.7; laws settle:first-wins, settle:immutable, settle:no-clock).
"""

from collections.abc import Mapping, Sequence
from typing import cast

from onefate.broker.errors import Forgotten, ImpossibleId, NeverExisted, WasAsk, WasStimulus
from onefate.broker.journey import Action, Filter
from onefate.broker.journey.conditions import evaluate
from onefate.broker.session import (
    cards,
    concurrency,
    frames,
    gaps,
    life,
    motion,
    rows,
    structure,
    texts,
)
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.history import together
from onefate.broker.session.state import (
    ABSENT,
    Certainty,
    EffectStatus,
    Fate,
    OutcomeAtRest,
    Pending,
    Receipt,
    Row,
    Wire,
    detached,
)


def dequeue(draft: Draft, fire_id: str) -> Pending | None:
    """Take a fire out of the queue of those that wait for a report, None where it does not wait."""
    found = next((fire for fire in draft.pending if fire["id"] == fire_id), None)
    if found is not None:
        draft.replace(Draft.pending, [f for f in draft.pending if f["id"] != fire_id])
    return found


def is_open(draft: Draft, fire_id: str) -> bool:
    """Say whether a fire has not come to rest."""
    return any(latch["id"] == fire_id for latch in draft.latches)


def settle(
    draft: Draft, row: Row, delta: Mapping[str, object], writes: Sequence[str] | None = None
) -> None:
    """Commit a fire with this delta; without `writes` its effect counts as unobservable.

    What a report names decides `effectVerified`: every declared key is there, whatever its value.
    """
    record = row["record"]
    action = draft.action(rows.action_of(row))
    rows.commit_state(draft, row, delta, () if action is None else action.guard_keys)
    record["effectVerified"] = all(key in delta for key in writes) if writes else "unobservable"
    hopped = _claim(draft, row, action)
    record["outcome"] = life.MOVES["waiting", "reported" if writes else "completed"]
    rows.count_state(draft, delta)
    frames.note_step(draft, row)
    frames.check_demotion(draft)
    if hopped:
        structure.check_dead_end(draft)


def _claim(draft: Draft, row: Row, action: Action | None) -> bool:
    """Go where the action claims to lead, if the session still stands where it was fired."""
    record = row["record"]
    if action is None or action.goes_to is None:
        record["toNode"] = record["fromNode"]
        return False
    record["toNode"] = action.goes_to
    record["toNodeClaimed"] = True
    record.setdefault("arrival", "claimed")
    if draft.position["node"] != record["fromNode"]:
        return False
    position = draft.edit(Draft.position)
    position["node"] = action.goes_to
    position["reported"] = False
    row["moved"] = position["reports"]
    return True


def restamp(row: Row, basis: str, certainty: Certainty) -> None:
    """Put the settling evidence on a fire; it begins as observed, so certainty only falls."""
    attribution = row["record"]["attribution"]
    attribution["basis"] = basis
    attribution["certainty"] = certainty


def come_to_rest(draft: Draft, row: Row) -> None:
    """Close an open fire as performed, unless its own check says that the effect is not there."""
    fire_id = row["record"]["id"]
    if not is_open(draft, fire_id):
        return
    action = draft.action(rows.action_of(row))
    held, evidence = (ABSENT, []) if action is None else _verified(draft, action)
    if held is False:
        error: Wire = {"reason": "VERIFY_FAILED", "explanation": texts.VERIFY_FAILED}
        if evidence:
            error["evidence"] = evidence
        fail(draft, row, error, verify_held=False)
    else:
        close(draft, row, life.SETTLES["completed"], verify_held=held)


def _verified(draft: Draft, action: Action) -> tuple[object, list[Wire]]:
    contract = action.verify
    if contract is None:
        return ABSENT, []
    if isinstance(contract, Filter):
        judged = evaluate(contract, draft.state, draft.options.redacted_keys)
        words = {"held": True, "failed": False, "unevaluable": "unevaluable"}
        return words[judged.verdict], [dict(condition) for condition in judged.failing]
    try:
        answer = contract(detached(draft.state))
    except Exception:  # noqa: BLE001 - the check is the app's, and so is whatever it raises
        answer = None
    if isinstance(answer, bool):
        return answer, []
    draft.warn(f"the check after {action.id} answered neither yes nor no")
    return "unevaluable", []


def fail(draft: Draft, row: Row, error: object, *, verify_held: object = ABSENT) -> None:
    """Let a fire come to nothing, as far as no report backs it; its receipt has the error.

    A commit that was undone takes the cursor back from where it alone had led.
    """
    record = row["record"]
    if verify_held is False:
        row["refuted"] = True
    outcome = life.after(record, "failed")
    if outcome is not None:
        dequeue(draft, record["id"])
        record["outcome"] = outcome
        draft.version_up()
        come_to_nothing(draft, row)
        motion.walk_back(draft, row)
    close(draft, row, life.SETTLES["failed"], error=error, verify_held=verify_held)


def note_fire(draft: Draft, row: Row) -> None:
    """Remember the latest fire of its action, and the fire among the latest attempts."""
    action_id, fire_id = rows.action_of(row), row["record"]["id"]
    draft.replace(Draft.fates, {**draft.fates, action_id: Fate(id=fire_id, failed=False)})
    recent = draft.edit(Draft.recent)
    recent["fireTotal"] += 1
    recent["fires"] = [*recent["fires"], row["n"]][-gaps.RECENT :]


def come_to_nothing(draft: Draft, row: Row) -> None:
    """Take a fire that does not stand out of its journey's steps; the standing remembers it."""
    frames.forget_step(draft, row)
    fate = draft.fates.get(rows.action_of(row))
    if fate is not None and fate["id"] == row["record"]["id"] and not fate["failed"]:
        draft.edit(Draft.fates)[rows.action_of(row)]["failed"] = True


def close(
    draft: Draft,
    row: Row,
    status: EffectStatus,
    *,
    error: object = ABSENT,
    verify_held: object = ABSENT,
) -> None:
    """Settle an open fire; one that has come to rest keeps its settlement."""
    if is_open(draft, row["record"]["id"]):
        retain(draft, row, status, error=error, verify_held=verify_held)
        _unlatch(draft, row, refused=status == "refused")


def adopt(draft: Draft, fire_id: str) -> None:
    """Take in a settlement that stands of a fire that is open here.

    So it is after the store lost a decision, and got back only the settlement that was part of it:
    the fire's fate is the settlement's, whatever else was decided with it is lost.
    """
    receipt = draft.receipts.get(fire_id)
    if receipt is None or not is_open(draft, fire_id):
        return
    row = rows.edit(draft, fire_id)
    row["record"] = detached(receipt["transition"])
    dequeue(draft, fire_id)
    _unlatch(draft, row, refused=receipt["effectStatus"] == "refused")
    draft.version_up()


def _unlatch(draft: Draft, row: Row, *, refused: bool) -> None:
    fire_id = row["record"]["id"]
    latch = next(latch for latch in draft.latches if latch["id"] == fire_id)
    draft.replace(Draft.latches, [one for one in draft.latches if one["id"] != fire_id])
    if "once" in latch:
        concurrency.settle_once(draft, latch["once"], fire_id, refused=refused)
    if refused:
        come_to_nothing(draft, row)


def retain(
    draft: Draft,
    row: Row,
    status: EffectStatus,
    *,
    error: object = ABSENT,
    verify_held: object = ABSENT,
) -> None:
    """Write the receipt of a fire as it is now."""
    record = row["record"]
    outcome = cast("OutcomeAtRest", record["outcome"])
    receipt = Receipt(effectStatus=status, outcome=outcome, transition=detached(record))
    if error is not ABSENT:
        receipt["error"] = detached(error)
    if verify_held is not ABSENT:
        receipt["verifyHeld"] = verify_held
    if "produced" in record:
        receipt["produced"] = detached(record["produced"])
    draft.settle(record["id"], receipt)


def later(draft: Draft, row: Row, what: str, **facts: object) -> None:
    """Keep news about a fire that had come to rest, beside its receipt (departure 13)."""
    row.setdefault("later", []).append({"what": what, "at": draft.now, **facts})


def awaiting_settlement(draft: Draft) -> list[str]:
    """Give the ids of the open fires, in the order in which they were fired."""
    return [latch["id"] for latch in draft.latches]


def settlement_if_known(draft: Draft, transition_id: str) -> Receipt | None:
    """Give how a fire came to rest, None while it is open.

    Raises:
        NeverExisted: nothing was ever recorded under this id.
        Forgotten: a fire was, and is no longer kept.
        WasStimulus: what was recorded is no fire.
        WasAsk: the id is a card's.
    """
    if is_open(draft, transition_id):
        return None
    together(lambda: draft.receipts.get(transition_id), lambda: rows.find(draft, transition_id))
    receipt = draft.receipts.get(transition_id)
    if receipt is None:
        raise _impossible(draft, transition_id)
    return receipt


def _impossible(draft: Draft, transition_id: str) -> ImpossibleId:
    """Give the name of why no settlement can ever be given for an id that is not open."""
    awaiting = awaiting_settlement(draft)
    row = rows.find(draft, transition_id)
    if row is not None and not rows.is_fire(row):
        return WasStimulus(transition_id, awaiting)
    if row is None and cards.was_given(draft, transition_id):
        return WasAsk(transition_id, awaiting)
    if row is not None or rows.was_dropped(draft, transition_id):
        return Forgotten(transition_id, awaiting)
    return NeverExisted(transition_id, awaiting)
