"""Repeats: which fires are the same one, which of them are open, and which were performed for good.

Inputs are compared by canonical digest, at any size (spec: graph-session §11.1; departure 11). A
refused fire takes its receipt back; a person's act reopens the action.
"""

from onefate.broker.journey import Action
from onefate.broker.journey.canonical import canonical_digest, input_digest
from onefate.broker.session import rows
from onefate.broker.session.draft import Draft
from onefate.broker.session.state import Latch, OnceReceipt, Wire


def latch_of(
    draft: Draft, action: Action, fire_id: str, payload: object, instance: str | None
) -> Latch:
    """Give the open fire as repeats are compared with it."""
    latch = Latch(id=fire_id, affordanceId=action.id)
    if instance is not None:
        latch["instance"] = instance
    if action.concurrency.scope == "payload" and (digest := input_digest(payload)) is not None:
        latch["digest"] = digest
    if action.concurrency.mode == "once":
        latch["once"] = subject_of(draft, action, payload, instance)
    return latch


def subject_of(draft: Draft, action: Action, payload: object, instance: str | None) -> str:
    """Give the key under which the receipts of this fire and its repeats are kept."""
    scope: list[object] = [draft.map.id, action.id]
    if action.concurrency.scope != "action":
        scope.append([] if instance is None else [instance])
    if action.concurrency.scope == "payload":
        scope.append(input_digest(payload))
    return canonical_digest(scope)[:32]


def open_repeat(
    draft: Draft, action: Action, payload: object, instance: str | None
) -> Latch | None:
    """Give the open fire that this one would repeat, None where there is none."""
    scope = action.concurrency.scope
    asked = input_digest(payload) if scope == "payload" else None
    for latch in draft.latches:
        if latch["affordanceId"] != action.id:
            continue
        if scope != "action" and latch.get("instance") != instance:
            continue
        known = latch.get("digest")
        if scope == "payload" and asked is not None and known is not None and asked != known:
            continue
        return latch
    return None


def is_in_flight(draft: Draft, action: Action) -> bool:
    """Say whether any fire of this action is open."""
    return any(latch["affordanceId"] == action.id for latch in draft.latches)


def is_performed(draft: Draft, action: Action) -> bool:
    """Say whether a once action of scope `action` was fired, and no person has acted since."""
    receipt = latest_receipt(draft, action, None, None)
    return receipt is not None and person_since(draft, receipt) is None


def latest_receipt(
    draft: Draft, action: Action, payload: object, instance: str | None
) -> OnceReceipt | None:
    """Give the receipt that governs a repeat of this fire."""
    receipts = draft.once.get(subject_of(draft, action, payload, instance))
    return receipts[-1] if receipts else None


def person_since(draft: Draft, receipt: OnceReceipt) -> Wire | None:
    """Give the first act of a person after the receipt's own row, None where there was none."""
    since = receipt["people"]
    if len(draft.people) <= since:
        return None
    act = draft.people.slice(since, since + 1)[0]
    row = rows.find(draft, act["id"])
    basis = act["basis"] if row is None else row["record"]["attribution"]["basis"]
    return {"transitionId": act["id"], "basis": basis}


def note_once(
    draft: Draft, action: Action, fire_id: str, payload: object, instance: str | None
) -> None:
    """Keep the receipt of a fire of a once action; it governs from now on."""
    subject = subject_of(draft, action, payload, instance)
    receipts = draft.once.edit(subject)
    receipt = OnceReceipt(id=fire_id, people=len(draft.people))
    if receipts is None:
        draft.once.put(subject, [receipt])
    else:
        receipts.append(receipt)


def settle_once(draft: Draft, subject: str, fire_id: str, *, refused: bool) -> None:
    """Take the receipt of a refused fire back; one that stands replaces all before it."""
    receipts = draft.once.edit(subject) or []
    at = next((i for i, receipt in enumerate(receipts) if receipt["id"] == fire_id), None)
    if at is None:
        return
    if refused:
        del receipts[at]
    else:
        del receipts[:at]
    if not receipts:
        draft.once.delete(subject)
