"""What the tests of departures share: two small maps, handlers, and a person at the cards."""

from onefate.broker.session import approval
from onefate.broker.session.rows import find
from onefate.broker.session.state import ABSENT, Ask, Wire
from tests.session.app import App

HIGH: Wire = {"pay": {"does": "Pay", "confirm": True}, "void": {"does": "Void", "confirm": True}}
TWO_WRITES: Wire = {
    "a": {"does": "A", "writes": ["x", "y"]},
    "b": {"does": "B", "writes": ["y"]},
    "c": {"does": "C"},
}


def stays_open(_payload: object) -> object:
    return ABSENT


def fails(_payload: object) -> object:
    raise RuntimeError("boom")


def ask(app: App, action: str = "p.pay", payload: object = ABSENT, **about: str) -> str:
    card = app.decide(lambda d: approval.confirm_ask(d, action, payload=payload, **about))
    return str(card["askId"])


def approve(app: App, card: str) -> None:
    assert app.decide(lambda d: approval.approve_ask(d, card, by="nora"))["ok"] is True


def card_of(app: App, card: str) -> Ask:
    found = app.decide(lambda d: approval.card_in_book(d, card))
    assert found is not None
    return found


def later(app: App, fire: str) -> list[object]:
    row = app.decide(lambda d: find(d, fire))
    assert row is not None
    return [fact["what"] for fact in row.get("later", [])]
