"""The doors of the book of cards: the agent's question, the app's relay, a person's answer.

A yes is written by a person's door alone (law approve:spent-once). A refused door is a value,
`{ok: false, reason, explanation}`, and has done nothing (spec: graph-session §12.1, §12.3).
"""

from typing import Final, Literal, TypeAlias

from onefate.broker.session import cards, texts
from onefate.broker.session.cards import (
    CardRow,
    asks,
    fires_of,
    is_open,
    is_stale,
    newest,
    open_ask_for,
)
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.receipts import card_receipts
from onefate.broker.session.state import ABSENT, Ask, Grant, Wire, detached

__all__ = [
    "CardRow",
    "always_approve",
    "approve_ask",
    "asks",
    "card_in_book",
    "confirm_ask",
    "decline_ask",
    "decline_confirm",
    "fate",
    "fires_of",
    "is_stale",
    "newest",
    "open_ask_for",
    "requires_human_approval_from",
    "revoke_always_approve",
    "revoke_ask",
    "unanswered",
]

Fate: TypeAlias = Literal[
    "awaiting-human",
    "declined",
    "approval-withdrawn",
    "approval-no-longer-valid",
    "approved-not-yet-done",
]
ANY: Final = object()
"""For a relayed no that names no input: it is about the oldest open card of the action."""

_EXPLAINED: Final = {
    "NOT_ENFORCED": texts.NOT_ENFORCED,
    "NEEDS_DECIDER": texts.NEEDS_DECIDER,
    "UNKNOWN_ASK": texts.UNKNOWN_ASK,
    "ASK_ALREADY_ANSWERED": texts.ASK_ALREADY_ANSWERED,
    "ASK_ALREADY_SPENT": texts.ASK_ALREADY_SPENT,
    "WRONG_PRINCIPAL": texts.WRONG_PRINCIPAL,
    "REVOKE_UNANSWERED": texts.REVOKE_UNANSWERED,
    "UNKNOWN_AFFORDANCE": texts.UNKNOWN_AFFORDANCE,
}


def _refused(reason: str) -> Wire:
    return {"ok": False, "reason": reason, "explanation": _EXPLAINED[reason]}


def requires_human_approval_from(draft: Draft, principal: str) -> bool:
    """Say whether this principal's high-effect fires need a person's recorded yes."""
    return draft.options.enforced and principal == "agent"


def confirm_ask(
    draft: Draft,
    action_id: str,
    *,
    source: str = "agent",
    payload: object = ABSENT,
    instance: str | None = None,
) -> Wire:
    """Ask a person and give `{askId, receipts}`; an open card of this fire is reused.

    Never refuses. What the input is shows only under enforcement.
    """
    digest = cards.digest_of(draft, action_id, payload)
    waiting = _open_card(draft, cards.subject(action_id, instance, digest))
    card = waiting or cards.mint(draft, action_id, instance, digest)
    shown = payload if draft.options.enforced and not _blank(draft, action_id) else ABSENT
    receipts = card_receipts(draft, action_id, shown, instance)
    cards.journal(draft, "ask", card["askId"], action_id, source, receipts=detached(receipts))
    return {"askId": card["askId"], "receipts": receipts}


def _blank(draft: Draft, action_id: str) -> bool:
    action = draft.action(action_id)
    return action is not None and action.no_input


def _open_card(draft: Draft, key: str) -> Ask | None:
    return next((card for card in cards.live_about(draft, key) if is_open(card)), None)


def unanswered(
    draft: Draft, action_id: str, payload: object = ABSENT, instance: str | None = None
) -> str | None:
    """Give the open card of exactly this fire, None where there is none."""
    digest = cards.digest_of(draft, action_id, payload)
    card = _open_card(draft, cards.subject(action_id, instance, digest))
    return None if card is None else card["askId"]


def card_in_book(draft: Draft, ask_id: str) -> Ask | None:
    """Give the card of this id, None where the book has none."""
    return cards.find(draft, ask_id)


def fate(draft: Draft, card: Ask) -> Fate | None:
    """Give how a card stands, None where a fire has closed it."""
    if card.get("spent"):
        return None
    if is_open(card):
        return "awaiting-human"
    if card.get("answer") == "declined":
        return "declined"
    if card.get("revoked"):
        return "approval-withdrawn"
    return "approval-no-longer-valid" if is_stale(draft, card) else "approved-not-yet-done"


def decline_confirm(  # noqa: PLR0913 - the facts of one relayed no
    draft: Draft,
    action_id: str,
    *,
    principal: str = "agent",
    by: str | None = None,
    note: str | None = None,
    payload: object = ANY,
    instance: str | None = None,
) -> Wire:
    """Record a no that somebody passes on, and give `{askId, relayed?}`.

    Without enforcement it closes the card; under enforcement it closes nothing. It is about the
    open card of exactly this fire; without an input, about the oldest open card of the action.
    """
    if payload is ANY:
        ask_id = _oldest_open(draft, action_id)
    else:
        ask_id = unanswered(draft, action_id, payload, instance)
    pointer = ask_id or cards.next_id(draft, "ask")
    if draft.options.enforced:
        facts = {"enforced": True, "relayed": True, "stateVersion": draft.counters["stateVersion"]}
        cards.journal(draft, "declined", pointer, action_id, principal, by=by, note=note, **facts)
        return {"askId": pointer, "relayed": True}
    if ask_id is not None:
        cards.drop(draft, ask_id)
    cards.journal(draft, "declined", pointer, action_id, principal, by=by, note=note)
    return {"askId": pointer}


def _oldest_open(draft: Draft, action_id: str) -> str | None:
    live = draft.asks["live"].values()
    mine = (card for card in live if card["affordanceId"] == action_id and is_open(card))
    return next((card["askId"] for card in mine), None)


def approve_ask(draft: Draft, ask_id: str, *, by: str, note: str | None = None) -> Wire:
    """Record a person's yes to a card; it lets one fire of exactly that input pass."""
    return _answer(draft, ask_id, "approved", by, note)


def decline_ask(draft: Draft, ask_id: str, *, by: str, note: str | None = None) -> Wire:
    """Record a person's no to a card; it is final for the card and outranks every standing yes."""
    return _answer(draft, ask_id, "declined", by, note)


def _answer(
    draft: Draft, ask_id: str, word: Literal["approved", "declined"], by: str, note: str | None
) -> Wire:
    if (refused := _no_decider(draft, by)) is not None:
        return refused
    known = cards.find(draft, ask_id)
    if known is None:
        return _refused("UNKNOWN_ASK")
    if not is_open(known):
        return _refused("ASK_ALREADY_ANSWERED")
    card = cards.edit(draft, ask_id)
    book = draft.edit(Draft.asks)
    book["answers"] += 1
    card["answer"] = word
    card["answeredAt"] = draft.now
    card["answerSeq"] = book["answers"]
    card["stateVersion"] = draft.counters["stateVersion"]
    draft.answers.put(cards.about(card), ask_id)
    if word == "declined":
        cards.retire(draft, ask_id)
    return _recorded(draft, word, ask_id, card["affordanceId"], by=by, note=note)


def _no_decider(draft: Draft, by: object) -> Wire | None:
    if not draft.options.enforced:
        return _refused("NOT_ENFORCED")
    return None if isinstance(by, str) and by.strip() else _refused("NEEDS_DECIDER")


def _recorded(draft: Draft, kind: str, pointer: str, action_id: str, **facts: object) -> Wire:
    stamp = {"enforced": True, "stateVersion": draft.counters["stateVersion"]}
    row = cards.journal(draft, kind, pointer, action_id, "user", **facts, **stamp)
    return {"ok": True, "record": detached(row)}


def revoke_ask(
    draft: Draft, ask_id: str, *, by: str, note: str | None = None, principal: str | None = None
) -> Wire:
    """Withdraw a yes that has not been used."""
    if (refused := _no_decider(draft, by)) is not None:
        return refused
    if principal is not None and principal != "user":
        return _refused("WRONG_PRINCIPAL")
    known = cards.find(draft, ask_id)
    if known is None:
        return _refused("UNKNOWN_ASK")
    if (reason := _irrevocable(known)) is not None:
        return _refused(reason)
    cards.edit(draft, ask_id)["revoked"] = True
    cards.retire(draft, ask_id)
    return _recorded(draft, "revoked", ask_id, known["affordanceId"], by=by, note=note)


def _irrevocable(card: Ask) -> str | None:
    if card.get("spent"):
        return "ASK_ALREADY_SPENT"
    if is_open(card):
        return "REVOKE_UNANSWERED"
    answered = card.get("answer") == "declined" or card.get("revoked")
    return "ASK_ALREADY_ANSWERED" if answered else None


def always_approve(  # noqa: PLR0913 - the facts of one grant
    draft: Draft,
    action_id: str,
    *,
    by: str,
    note: str | None = None,
    instance: str | None = None,
    expires_in: int | None = None,
) -> Wire:
    """Record a person's standing yes for a declared action, any input (departure 16)."""
    if (refused := _no_decider(draft, by)) is not None:
        return refused
    if draft.action(action_id) is None:
        return _refused("UNKNOWN_AFFORDANCE")
    grant = Grant(grantId=cards.next_id(draft, "grant"), affordanceId=action_id)
    if instance is not None:
        grant["instance"] = instance
    if expires_in is not None:
        grant["expiresAt"] = draft.now + expires_in
    draft.replace(Draft.grants, [*draft.grants, grant])
    facts = {"by": by, "note": note, "scopeInstance": instance, "expiresAt": grant.get("expiresAt")}
    return _recorded(draft, "always-approved", grant["grantId"], action_id, **facts)


def revoke_always_approve(
    draft: Draft, action_id: str, *, by: str, note: str | None = None, instance: str | None = None
) -> Wire:
    """Withdraw the standing yes of one instance, or every one of the action."""
    if (refused := _no_decider(draft, by)) is not None:
        return refused
    gone = [
        grant
        for grant in draft.grants
        if grant["affordanceId"] == action_id
        and (instance is None or grant.get("instance") == instance)
    ]
    if not gone:
        return _refused("UNKNOWN_ASK")
    draft.replace(Draft.grants, [grant for grant in draft.grants if grant not in gone])
    answer: Wire = {}
    for grant in gone:
        scope = grant.get("instance")
        facts = {"by": by, "note": note, "scopeInstance": scope}
        answer = _recorded(draft, "revoked", grant["grantId"], action_id, **facts)
    return answer
