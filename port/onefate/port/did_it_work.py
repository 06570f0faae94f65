"""`did_it_work`: what became of a fire, or of a card, for whoever holds its id.

The facts are those of `settled_facts`; this adds the envelope, the answers about fires still open
and about cards, and the refusals of ids that name nothing. It never waits. Spec: port-settlement
§9.
"""

from typing import Final

from onefate.broker.errors import AmbiguousId, Forgotten, ImpossibleId
from onefate.broker.session import approval, cards, rows
from onefate.broker.session.draft import Draft
from onefate.broker.session.settle import awaiting_settlement
from onefate.broker.session.state import Wire
from onefate.port import texts
from onefate.port.arguments import Arguments
from onefate.port.facts import is_still_working, row_of, settled_facts
from onefate.port.failed import failed
from onefate.port.tools import Port

_CARDS: Final = {
    "awaiting-human": texts.P_AWAITING,
    "declined": texts.P_DECLINED,
    "approved-not-yet-done": texts.P_APPROVED,
    "approval-no-longer-valid": texts.P_STALE,
    "approval-withdrawn": texts.P_REVOKED,
}


def did_it_work(draft: Draft, _: Port, arguments: Arguments) -> Wire:
    """Answer about the id that was sent, without position."""
    asked = arguments.named("transitionId")
    if asked is None:
        return {
            **failed("TRANSITION_ID_REQUIRED"),
            "why": texts.TRANSITION_ID_REQUIRED,
            **_open(draft),
        }
    return _about(draft, asked) or _about_card(draft, asked) or _unknown(draft)


def _about(draft: Draft, asked: str) -> Wire | None:
    """Answer about a fire; None where the id is none's."""
    try:
        facts = settled_facts(draft, asked)
    except AmbiguousId:
        return _ambiguous(draft, asked)
    except Forgotten:
        return {**failed("FORGOTTEN_TRANSITION"), "why": texts.FORGOTTEN}
    except ImpossibleId:
        return None
    did = rows.action_of(row_of(draft, asked))
    if facts is not None:
        return {"ok": True, "settled": True, "did": did, **facts}
    answer: Wire = {
        "ok": True,
        "settled": False,
        "judgment": "still-pending",
        "did": did,
        "howToAct": texts.STILL_PENDING,
    }
    if is_still_working(draft, asked):
        answer["stillWorking"] = True
        answer["stillWorkingMeans"] = texts.STILL_WORKING
    return answer


def _ambiguous(draft: Draft, asked: str) -> Wire:
    card = cards.find(draft, asked)
    return {
        **failed("AMBIGUOUS_ID"),
        "why": texts.AMBIGUOUS,
        "askId": asked,
        "askedAbout": "" if card is None else card["affordanceId"],
        "did": rows.action_of(row_of(draft, asked)),
    }


def _about_card(draft: Draft, asked: str) -> Wire | None:
    """Answer about a card, or about the one fire it let pass; None where the id is neither's."""
    card = cards.find(draft, asked)
    fate = None if card is None else approval.fate(draft, card)
    if card is not None and fate is not None:
        return {
            "ok": True,
            "settled": False,
            "performed": False,
            "judgment": fate,
            "askId": asked,
            "did": card["affordanceId"],
            "howToAct": _CARDS[fate],
        }
    fire = fire_named(draft, asked)
    return None if fire is None else _about(draft, fire)


def fire_named(draft: Draft, asked: str) -> str | None:
    """Give the fire an id is about: its own, or the only one that a card or a grant let pass."""
    if rows.find(draft, asked) is not None:
        return asked
    fires = cards.fires_of(draft, asked)
    return fires[0] if len(fires) == 1 else None


def _unknown(draft: Draft) -> Wire:
    return {**failed("UNKNOWN_TRANSITION"), **_open(draft)}


def _open(draft: Draft) -> Wire:
    return {
        "pending": [fire["id"] for fire in draft.pending],
        "awaitingSettlement": awaiting_settlement(draft),
        "awaitingHuman": [
            {"askId": ask["askId"], "action": ask["affordanceId"]}
            for ask in draft.asks["live"].values()
            if cards.is_open(ask)
        ],
    }
