"""What the facts say about cards: which wait, which were answered and how that stands.

Cards that can still let something pass are listed in mint order; of those that cannot, the newest
about each action (spec: graph-session §13.7).
"""

from onefate.broker.session.approval import is_stale

from onefate.broker.session.draft import Draft
from onefate.broker.session.reads import texts
from onefate.broker.session.reads.labels import short_label
from onefate.broker.session.state import Ask


def card_lines(draft: Draft, most: int) -> list[str]:
    """Give one line a card; of those that wait for a person at most `most`, the rest counted."""
    live = list(draft.asks["live"].values())
    waiting = [ask for ask in live if "answer" not in ask]
    answered = [ask for ask in live if "answer" in ask]
    lines = [_line(draft, ask) for ask in (*waiting[:most], *answered, *_closed(draft))]
    if len(waiting) > most:
        lines.append(texts.CARDS_MORE.format(count=len(waiting) - most))
    return lines


def _closed(draft: Draft) -> list[Ask]:
    asks = draft.asks
    closed = [ask_id for ask_id in asks["newest"].values() if ask_id not in asks["live"]]
    kept = draft.closed_asks.many(closed)
    return [ask for ask in kept if ask is not None and not (ask.get("spent") or ask.get("dropped"))]


def _line(draft: Draft, ask: Ask) -> str:
    form = _form(draft, ask)
    return form.format(ask=ask["askId"], action=short_label(draft, ask["affordanceId"]))


def _form(draft: Draft, ask: Ask) -> str:
    if "answer" not in ask:
        return texts.CARD_WAITS
    if ask["answer"] == "declined":
        return texts.CARD_DECLINED
    if ask.get("revoked"):
        return texts.CARD_WITHDRAWN
    return texts.CARD_STALE if is_stale(draft, ask) else texts.CARD_APPROVED
