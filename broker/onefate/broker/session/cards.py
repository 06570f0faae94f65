"""Cards: questions put to a person, each about one action, one instance and one input.

A card that can let nothing pass any more leaves the live section and stays readable by its id;
without enforcement it leaves the book (spec: graph-session §12.1, §12.2; departures 12 and 17).
"""

from typing import Final, NotRequired, TypedDict

from onefate.broker.journey.canonical import canonical_digest, input_digest
from onefate.broker.journey.contracts import is_blank_input
from onefate.broker.session import ledgers
from onefate.broker.session.draft import Draft
from onefate.broker.session.options import ApprovalPolicy
from onefate.broker.session.state import ABSENT, Ask, Asks, Wire

LONGEST_NOTE: Final = 500


MOST_OPEN: Final = 500
"""Unanswered cards of one session: a person reads no more, and every decision carries them."""


class CardRow(TypedDict):
    """One card as it is read."""

    askId: str
    affordanceId: str
    does: NotRequired[str]
    instance: NotRequired[str]
    answer: NotRequired[str]
    spent: NotRequired[bool]
    revoked: NotRequired[bool]
    stale: NotRequired[bool]


def digest_of(draft: Draft, action_id: str, payload: object) -> str | None:
    """Give what a card compares inputs by; a blank input of an action without input is no input."""
    action = draft.action(action_id)
    blank = action is not None and action.no_input and is_blank_input(payload)
    return input_digest(ABSENT if blank else payload)


def subject(action_id: str, instance: str | None, digest: str | None) -> str:
    """Give the key of everything that is about this action, instance and input."""
    return canonical_digest([action_id, [] if instance is None else [instance], digest])[:32]


def about(card: Ask) -> str:
    """Give the key of what a card is about."""
    return subject(card["affordanceId"], card.get("instance"), card.get("digest"))


def find(draft: Draft, ask_id: str) -> Ask | None:
    """Give the card of this id, None where the book has none."""
    live = draft.asks["live"].get(ask_id)
    if live is not None:
        return live
    n = ledgers.number_in("ask", ask_id)
    return None if n is None or n >= draft.counters["ask"] else draft.closed_asks.get(ask_id)


def edit(draft: Draft, ask_id: str) -> Ask:
    """Hand out the draft's own copy of a card that can still let something pass."""
    return draft.edit(Draft.asks)["live"][ask_id]


def was_given(draft: Draft, name: str) -> bool:
    """Say whether the id was given to a card, a grant or a refusal of this session."""
    kinds = ("ask", "grant", "refusal")
    numbers = (ledgers.number_in(kind, name) for kind in kinds)
    return any(n is not None and n < draft.counters["ask"] for n in numbers)


def every(draft: Draft) -> list[Ask]:
    """Give every card of the book in the order of minting; reads history."""
    live = draft.asks["live"]
    names = [f"ask#{n}" for n in range(1, draft.counters["ask"])]
    closed = draft.closed_asks.many([name for name in names if name not in live])
    found = {card["askId"]: card for card in (*live.values(), *closed) if card is not None}
    return [found[name] for name in names if name in found]


def row_of(draft: Draft, card: Ask) -> CardRow:
    """Give a card as it is read now."""
    row = CardRow(askId=card["askId"], affordanceId=card["affordanceId"])
    if "does" in card:
        row["does"] = card["does"]
    if "instance" in card:
        row["instance"] = card["instance"]
    if "answer" in card:
        row["answer"] = card["answer"]
    if card.get("spent"):
        row["spent"] = True
    if card.get("revoked"):
        row["revoked"] = True
    if is_unused(card) and is_stale(draft, card):
        row["stale"] = True
    return row


def asks(draft: Draft) -> list[CardRow]:
    """Give every card of the book as it is read now, in the order of minting."""
    return [row_of(draft, card) for card in every(draft)]


def is_open(card: Ask) -> bool:
    """Say whether nobody has answered and no fire has closed it."""
    return "answer" not in card and not card.get("spent")


def is_unused(card: Ask) -> bool:
    """Say whether it is a yes that was neither spent nor withdrawn."""
    approved = card.get("answer") == "approved"
    return approved and not card.get("spent") and not card.get("revoked")


def is_stale(draft: Draft, card: Ask) -> bool:
    """Say whether the session's policy no longer honours a yes of this age."""
    policy = draft.options.approval or ApprovalPolicy()
    age = draft.now - card.get("answeredAt", draft.now)
    if policy.expires_after is not None and age > policy.expires_after:
        return True
    moved = card.get("stateVersion") != draft.counters["stateVersion"]
    return policy.refuse_when_world_moved and moved


def is_usable(draft: Draft, card: Ask) -> bool:
    """Say whether it lets a fire of its own input pass now."""
    return is_unused(card) and not is_stale(draft, card)


def live_about(draft: Draft, key: str) -> list[Ask]:
    """Give the live cards about one subject, in the order of minting."""
    return [card for card in draft.asks["live"].values() if about(card) == key]


def is_full(draft: Draft) -> bool:
    """Say whether as many questions wait for a person as one session may hold."""
    waiting = sum(is_open(card) for card in draft.asks["live"].values())
    return waiting >= MOST_OPEN


def presented(draft: Draft, key: str) -> str | None:
    """Give the card that speaks for a subject.

    The freshest valid yes; else the open card; else the last answered one.
    """
    live = live_about(draft, key)
    usable = [card for card in live if is_usable(draft, card)]
    if usable:
        return max(usable, key=lambda card: card.get("answerSeq", 0))["askId"]
    unanswered = next((card["askId"] for card in live if is_open(card)), None)
    return last_answered(draft, key) if unanswered is None else unanswered


def last_answered(draft: Draft, key: str) -> str | None:
    """Give the card about a subject that was answered last, None where none was or none is kept."""
    return draft.answers.get(key) if draft.asks["answers"] else None


def open_ask_for(
    draft: Draft, action_id: str, payload: object = ABSENT, instance: str | None = None
) -> str | None:
    """Give the id of the card that speaks for exactly this fire, None where there is none."""
    return presented(draft, subject(action_id, instance, digest_of(draft, action_id, payload)))


def newest(draft: Draft, action_id: str) -> Ask | None:
    """Give the newest card about an action that is in the book."""
    ask_id = draft.asks["newest"].get(action_id)
    return None if ask_id is None else find(draft, ask_id)


def next_id(draft: Draft, kind: str) -> str:
    """Take the next number of the counter that cards, grants and refusals share."""
    counters = draft.edit(Draft.counters)
    counters["ask"] += 1
    return f"{kind}#{counters['ask'] - 1}"


def mint(draft: Draft, action_id: str, instance: str | None, digest: str | None) -> Ask:
    """Put a new card into the book."""
    card = Ask(askId=next_id(draft, "ask"), affordanceId=action_id)
    action = draft.action(action_id)
    if action is not None:
        card["does"] = action.description
    if instance is not None:
        card["instance"] = instance
    if digest is not None:
        card["digest"] = digest
    book = draft.edit(Draft.asks)
    book["live"][card["askId"]] = card
    book["newest"][action_id] = card["askId"]
    return card


def retire(draft: Draft, ask_id: str) -> None:
    """Take a card that can let nothing pass any more out of the live section, and keep it."""
    card = draft.edit(Draft.asks)["live"].pop(ask_id)
    draft.closed_asks.put(ask_id, card)


def drop(draft: Draft, ask_id: str) -> None:
    """Take a card out of the book (a session without enforcement keeps no answered cards)."""
    book: Asks = draft.edit(Draft.asks)
    card = book["live"].pop(ask_id)
    action_id = card["affordanceId"]
    if book["newest"].get(action_id) == ask_id:
        left = [c["askId"] for c in book["live"].values() if c["affordanceId"] == action_id]
        if left:
            book["newest"][action_id] = left[-1]
        else:
            del book["newest"][action_id]


def journal(
    draft: Draft, kind: str, ask_id: str, action_id: str, principal: str, **facts: object
) -> Wire:
    """Append a row to the confirm journal; facts that are None are left out."""
    row: Wire = {
        "kind": kind,
        "askId": ask_id,
        "affordanceId": action_id,
        "timestamp": draft.now,
        "node": draft.position["node"],
        "version": draft.counters["version"],
        "principal": principal,
    }
    row.update({key: value for key, value in facts.items() if value is not None})
    note = row.get("note")
    if isinstance(note, str):
        row["note"] = note[:LONGEST_NOTE]
    draft.confirms.append(row)
    return row


def fires_of(draft: Draft, ask_id: str) -> list[str]:
    """Give the transitions that carry a card's or a grant's id: none, the one, or the first two."""
    return (draft.ask_fires.get(ask_id) or []) if was_given(draft, ask_id) else []


def link(draft: Draft, ask_id: str, fire_id: str, *, grant: bool = False) -> None:
    """Note which fire carries this id: a card's one, or a grant's first two."""
    known = fires_of(draft, ask_id) if grant else []
    if len(known) <= 1:
        draft.ask_fires.put(ask_id, [*known, fire_id])
