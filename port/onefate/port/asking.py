"""Cards as a port shows them: when one is asked for, what it says, and how a no is passed on.

Nobody is asked about a fire that would be refused anyway (departure 9), and a no never fires
anything (departure 3). Spec: port-settlement §4.4, §5.1, §6.2, §13.
"""

from onefate.broker.session import approval, cards
from onefate.broker.session.attempt import Attempt, FireOptions
from onefate.broker.session.draft import Draft
from onefate.broker.session.gates import first_refusal
from onefate.broker.session.reads.rows import Edge
from onefate.broker.session.state import Wire
from onefate.port import texts
from onefate.port.tools import Port
from onefate.port.wanted import Wanted


def paused(draft: Draft, port: Port, wanted: Wanted, edge: Edge | None) -> Wire | None:
    """Answer an attempt that fires nothing: a no, or a question; None where it may fire."""
    would_ask = _would_ask(draft, port, wanted, edge)
    if wanted.decline:
        return _declined(draft, port, wanted, may_mint=would_ask and not wanted.confirm)
    if not would_ask or wanted.confirm:
        return None
    return too_many(draft, wanted) or {
        "ok": False,
        "judgment": "needs-confirm",
        **wanted.named,
        "why": texts.PAUSED,
        **card(draft, port, wanted),
    }


def too_many(draft: Draft, wanted: Wanted) -> Wire | None:
    """Refuse another question where too many wait already; None where it may be asked."""
    open_card = approval.unanswered(draft, wanted.action, wanted.input, wanted.instance)
    if open_card is not None or not cards.is_full(draft):
        return None
    return {
        "ok": False,
        "judgment": "rejected",
        "did": wanted.action,
        "reason": "TOO_MANY_CARDS",
        "why": texts.TOO_MANY_CARDS,
        "limit": cards.MOST_OPEN,
    }


def card(draft: Draft, port: Port, wanted: Wanted) -> Wire:
    """Mint or reuse the card of exactly this attempt, and show it."""
    asked = approval.confirm_ask(
        draft,
        wanted.action,
        source=port.options.source,
        payload=wanted.input,
        instance=wanted.instance,
    )
    action = draft.action(wanted.action)
    return {
        "performed": False,
        "does": "" if action is None else action.description,
        "askId": asked["askId"],
        "receipts": asked["receipts"],
        "howToAct": texts.ASK_HOWTO_ENFORCED if port.gated else texts.ASK_HOWTO,
    }


def _would_ask(draft: Draft, port: Port, wanted: Wanted, edge: Edge | None) -> bool:
    if not port.asks or edge is None or not edge["highEffect"]:
        return False
    if "enabled" in edge or "heldByPriorFire" in edge or "alreadyPerformed" in edge:
        return False
    options = FireOptions(
        source=port.options.source, payload=wanted.input, instance=wanted.instance
    )
    return first_refusal(Attempt(draft, wanted.action, options), before_card=True) is None


def _declined(draft: Draft, port: Port, wanted: Wanted, *, may_mint: bool) -> Wire:
    """Pass a no on to the card of exactly this attempt; without one nothing is recorded."""
    answer: Wire = {"ok": False, "judgment": "declined", **wanted.named}
    card_id = approval.unanswered(draft, wanted.action, wanted.input, wanted.instance)
    if card_id is None and not may_mint:
        return answer
    told = approval.decline_confirm(
        draft,
        wanted.action,
        principal=port.options.source,
        payload=wanted.input,
        instance=wanted.instance,
    )
    answer["askId"] = told["askId"]
    if told.get("relayed"):
        answer["recordedAs"] = "your-report"
        answer["why"] = texts.RELAYED_DECLINE
    return answer
