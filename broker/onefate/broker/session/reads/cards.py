"""What the facts say about cards: which wait, which were answered and how that stands.

Cards that can still let something pass are listed in mint order; of those that cannot, the newest
about each action (spec: graph-session §13.7).
"""

from typing import Final

from onefate.broker.session.approval import Fate, fate
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads import texts
from onefate.broker.session.reads.labels import short_label
from onefate.broker.session.state import Ask

_SAID: Final[dict[Fate, str]] = {
    "awaiting-human": texts.CARD_WAITS,
    "approved-not-yet-done": texts.CARD_APPROVED,
    "approval-no-longer-valid": texts.CARD_STALE,
    "approval-withdrawn": texts.CARD_WITHDRAWN,
    "declined": texts.CARD_DECLINED,
}


def card_lines(draft: Draft, most: int) -> list[str]:
    """Give one line a card; of those that wait for a person at most `most`, the rest counted."""
    cards = [*draft.asks["live"].values(), *closed_cards(draft)]
    waiting = 0
    lines: list[str] = []
    for card in cards:
        told = fate(draft, card)
        waiting += told == "awaiting-human"
        if told is not None and (told != "awaiting-human" or waiting <= most):
            lines.append(_line(draft, card, told))
    if waiting > most:
        lines.append(texts.CARDS_MORE.format(count=waiting - most))
    return lines


def closed_cards(draft: Draft) -> list[Ask]:
    """Give the newest card about each action where it can let nothing pass any more."""
    asks = draft.asks
    closed = [ask_id for ask_id in asks["newest"].values() if ask_id not in asks["live"]]
    return [card for card in draft.closed_asks.many(closed) if card is not None]


def _line(draft: Draft, card: Ask, told: Fate) -> str:
    label = short_label(draft, card["affordanceId"])
    return _SAID[told].format(ask=card["askId"], action=label)
