"""Approval: whether a person's recorded yes lets a fire pass, and how a yes is spent.

The verdict is a pure function of the book; a no outranks every yes, and what came last is decided
by a sequence number (spec: graph-session §12.4, §12.5; departures 5, 11, 12; law
approve:spent-once).
"""

from dataclasses import dataclass

from onefate.broker.session import cards
from onefate.broker.session.attempt import Allowed, Attempt
from onefate.broker.session.draft import Draft
from onefate.broker.session.state import Ask, Grant, Wire


@dataclass(frozen=True, slots=True)
class Denied:
    """The fire may not pass; `pointer` names the card or grant it is about."""

    reason: str
    pointer: str | None = None
    differs: str | None = None


def is_gated(draft: Draft, attempt: Attempt) -> bool:
    """Say whether this fire needs a person's recorded yes."""
    options, action = draft.options, attempt.known
    policy = action.principal_policy
    required = policy is not None and policy.requires_human_approval is True
    return (
        options.enforced
        and attempt.options.source == "agent"
        and attempt.options.invoke
        and (action.high_effect or (options.enforce_principal_policy and required))
    )


def refusal(attempt: Attempt) -> Wire | None:
    """Refuse an agent's fire that no person has approved; the journal keeps every refusal."""
    draft = attempt.draft
    if not is_gated(draft, attempt):
        return None
    verdict = judge(attempt)
    if isinstance(verdict, Allowed):
        attempt.allowed = verdict
        return None
    action_id = attempt.action_id
    cards.journal(
        draft,
        "refused",
        verdict.pointer or cards.next_id(draft, "refusal"),
        action_id,
        attempt.options.source,
        enforced=True,
        stateVersion=draft.counters["stateVersion"],
        rejectionReason=verdict.reason,
    )
    draft.warn(f"{action_id} was refused: {verdict.reason}")
    refused: Wire = {"reason": verdict.reason, "affordanceId": action_id}
    if verdict.pointer is not None:
        refused["askId"] = verdict.pointer
    if verdict.differs is not None:
        refused["differs"] = verdict.differs
    return refused


def judge(attempt: Attempt) -> Allowed | Denied:
    """Give the verdict on a gated fire."""
    draft, pointer = attempt.draft, attempt.options.ask_id
    card = None if pointer is None else cards.find(draft, pointer)
    if (no := _standing_no(attempt, card)) is not None:
        return Denied("APPROVAL_DECLINED", no)
    grants = [grant for grant in draft.grants if _covers(grant, attempt)]
    live = next((grant for grant in grants if draft.now <= grant.get("expiresAt", draft.now)), None)
    if live is not None:
        return Allowed(live["grantId"], grant=True)
    if pointer is None:
        expired = grants[0]["grantId"] if grants else None
        return Denied("APPROVAL_STALE" if grants else "APPROVAL_REQUIRED", expired)
    if card is None:
        return Denied("APPROVAL_REQUIRED", pointer)
    return _judge_card(attempt, card)


def _judge_card(attempt: Attempt, card: Ask) -> Allowed | Denied:
    pointer = card["askId"]
    if card["affordanceId"] != attempt.action_id:
        return Denied("APPROVAL_MISMATCH", pointer, "action")
    if card.get("spent"):
        return Denied("APPROVAL_SPENT", pointer)
    if card.get("answer") != "approved":
        return Denied("APPROVAL_REQUIRED", pointer)
    if card.get("revoked"):
        return Denied("APPROVAL_REVOKED", pointer)
    if cards.is_stale(attempt.draft, card):
        return Denied("APPROVAL_STALE", pointer)
    differs = _difference(attempt, card)
    return Allowed(pointer) if differs is None else Denied("APPROVAL_MISMATCH", pointer, differs)


def _difference(attempt: Attempt, card: Ask) -> str | None:
    asked, known = attempt.digest, card.get("digest")
    if asked is None or known is None:
        return "cannot-judge"
    inputs, instances = asked != known, attempt.options.instance != card.get("instance")
    if inputs and instances:
        return "both"
    return "input" if inputs else "instance" if instances else None


def _standing_no(attempt: Attempt, card: Ask | None) -> str | None:
    if card is not None and card.get("answer") == "declined":
        return card["askId"]
    last = cards.last_answered(attempt.draft, attempt.subject)
    answered = None if last is None else cards.find(attempt.draft, last)
    return last if answered is not None and answered.get("answer") == "declined" else None


def _covers(grant: Grant, attempt: Attempt) -> bool:
    return grant["affordanceId"] == attempt.action_id and (
        "instance" not in grant or grant["instance"] == attempt.options.instance
    )


def spend(draft: Draft, attempt: Attempt, fire_id: str) -> str | None:
    """Close the card this fire is about and give the id that its record carries, None for none.

    A yes is spent before anything runs, and a failing handler does not give it back.
    """
    if not draft.options.enforced:
        return _answer_by_firing(draft, attempt, fire_id)
    allowed = attempt.allowed
    if allowed is not None and allowed.grant:
        _used(draft, attempt, allowed.pointer, fire_id)
    own = allowed.pointer if allowed is not None and not allowed.grant else _own_card(attempt)
    if own is not None:
        cards.edit(draft, own)["spent"] = True
        cards.retire(draft, own)
        _used(draft, attempt, own, fire_id)
    carried = own if own is not None else None if allowed is None else allowed.pointer
    if carried is not None:
        cards.link(draft, carried, fire_id, grant=own is None)
    return carried


def _own_card(attempt: Attempt) -> str | None:
    draft = attempt.draft
    if not draft.asks["live"]:
        return None
    live = cards.live_about(draft, attempt.subject)
    usable = [card for card in live if cards.is_usable(draft, card)]
    if usable:
        return max(usable, key=lambda card: card.get("answerSeq", 0))["askId"]
    waiting = next((card["askId"] for card in live if cards.is_open(card)), None)
    return waiting or (live[-1]["askId"] if live else None)


def _used(draft: Draft, attempt: Attempt, pointer: str, fire_id: str) -> None:
    cards.journal(
        draft,
        "used",
        pointer,
        attempt.action_id,
        attempt.options.source,
        enforced=True,
        stateVersion=draft.counters["stateVersion"],
        transitionId=fire_id,
    )


def _answer_by_firing(draft: Draft, attempt: Attempt, fire_id: str) -> str | None:
    book = draft.asks["live"]
    own = next(iter(cards.live_about(draft, attempt.subject)), None) if book else None
    if own is None:
        return None
    cards.drop(draft, own["askId"])
    source = attempt.options.source
    facts = {"transitionId": fire_id}
    cards.journal(draft, "approved", own["askId"], attempt.action_id, source, **facts)
    cards.link(draft, own["askId"], fire_id)
    return own["askId"]
