"""Departures 5, 11, 12, 17: what a card is about, and which yes counts."""

import pytest

from onefate.broker.session import (
    approval,
)
from tests.guarantees import proves
from tests.session.app import App, one_page
from tests.session.departing import HIGH, approve, ask, card_of

pytestmark = [
    proves("settle:first-wins", "settle:immutable", "settle:no-clock", "approve:spent-once"),
    pytest.mark.usefixtures("kept"),
]


@pytest.mark.parametrize("source", ["user", "system"])
def test_05_whoever_fires_spends_the_card_of_that_fire(source: str) -> None:
    app = App(one_page(**HIGH), requireHumanApproval=True)
    app.bind()
    card = ask(app, payload={"n": 1})
    approve(app, card)
    fire = app.done("p.pay", source, payload={"n": 1})
    assert app.record(fire).get("askId") == card
    assert card_of(app, card).get("spent") is True
    assert app.fire("p.pay", payload={"n": 1}, askId=card)["reason"] == "APPROVAL_SPENT"


def test_05_a_fire_of_another_input_spends_nothing() -> None:
    app = App(one_page(**HIGH), requireHumanApproval=True)
    app.bind()
    card = ask(app, payload={"n": 1})
    approve(app, card)
    app.done("p.pay", "user", payload={"n": 2})
    assert "spent" not in card_of(app, card)


def test_05_a_record_only_fire_closes_an_unanswered_card() -> None:
    app = App(one_page(**HIGH), requireHumanApproval=True)
    card = ask(app)
    fire = app.done("p.pay", "user", invoke=False)
    assert app.record(fire).get("askId") == card
    assert approval.fate(app.memory.draft(), card_of(app, card)) is None
    refused = app.decide(lambda d: approval.approve_ask(d, card, by="nora"))
    assert refused["reason"] == "ASK_ALREADY_ANSWERED"


def test_05_a_standing_grant_spends_the_card_too() -> None:
    app = App(one_page(**HIGH), requireHumanApproval=True)
    app.bind()
    card = ask(app)
    app.decide(lambda d: approval.always_approve(d, "p.pay", by="nora"))
    fire = app.done("p.pay")
    assert app.record(fire).get("askId") == card
    assert app.decide(lambda d: approval.fires_of(d, card)) == [fire]


def test_05_a_declined_card_is_left_alone() -> None:
    app = App(one_page(**HIGH), requireHumanApproval=True)
    app.bind()
    card = ask(app)
    app.decide(lambda d: approval.decline_ask(d, card, by="nora"))
    fire = app.done("p.pay", "user")
    assert "askId" not in app.record(fire)
    assert card_of(app, card).get("answer") == "declined"


def test_11_inputs_of_any_size_are_compared() -> None:
    app = App(one_page(**HIGH), requireHumanApproval=True)
    app.bind()
    long, other = {"text": "x" * 5000}, {"text": "x" * 4999}
    card = ask(app, payload=long)
    approve(app, card)
    assert app.fire("p.pay", payload=other, askId=card)["differs"] == "input"
    assert app.fire("p.pay", payload=long, askId=card)["ok"] is True


def test_11_declining_one_long_input_declines_no_other() -> None:
    app = App(one_page(**HIGH), requireHumanApproval=True)
    app.bind()
    card = ask(app, payload={"text": "x" * 5000})
    app.decide(lambda d: approval.decline_ask(d, card, by="nora"))
    assert app.fire("p.pay", payload={"text": "y" * 5000})["reason"] == "APPROVAL_REQUIRED"
    assert app.fire("p.pay", payload={"text": "x" * 5000})["reason"] == "APPROVAL_DECLINED"


def test_11_repeats_of_long_inputs_are_told_apart() -> None:
    scope = {"mode": "once", "scope": "payload"}
    app = App(one_page(send={"does": "Send", "concurrency": scope}))
    app.bind()
    app.done("p.send", payload=["x" * 900])
    assert app.fire("p.send", payload=["y" * 900])["ok"] is True
    assert app.fire("p.send", payload=["x" * 900])["reason"] == "DUPLICATE_EXECUTION"


def test_12_the_freshest_valid_yes_is_presented() -> None:
    app = App(one_page(**HIGH), requireHumanApproval={"expiresAfterMs": 100})
    app.bind()
    first = ask(app)
    approve(app, first)
    app.memory.now += 60
    second = ask(app)
    approve(app, second)
    assert app.decide(lambda d: approval.open_ask_for(d, "p.pay")) == second
    app.memory.now += 60
    assert app.decide(lambda d: approval.open_ask_for(d, "p.pay")) == second
    app.memory.now += 60
    assert app.decide(lambda d: approval.open_ask_for(d, "p.pay")) == second
    assert app.fire("p.pay", askId=second)["reason"] == "APPROVAL_STALE"
    third = ask(app)
    assert app.decide(lambda d: approval.open_ask_for(d, "p.pay")) == third


def test_12_the_last_word_is_told_by_a_sequence_and_not_by_a_clock() -> None:
    app = App(one_page(**HIGH), requireHumanApproval=True)
    app.bind()
    no, yes = ask(app), ""
    app.decide(lambda d: approval.decline_ask(d, no, by="nora"))
    yes = ask(app)
    app.memory.now -= 1000
    approve(app, yes)
    assert app.fire("p.pay", askId=yes)["ok"] is True


def test_17_without_enforcement_a_card_is_for_one_input_too() -> None:
    app = App(one_page(**HIGH))
    app.bind()
    one, two = ask(app, payload={"n": 1}), ask(app, payload={"n": 2})
    assert one != two
    assert ask(app, payload={"n": 1.0}) == one
    fire = app.done("p.pay", payload={"n": 2})
    assert app.record(fire).get("askId") == two
    assert [card["askId"] for card in app.decide(approval.asks)] == [one]


def test_17_a_relayed_no_names_the_card_of_its_own_input() -> None:
    app = App(one_page(**HIGH))
    one, two = ask(app, payload={"n": 1}), ask(app, payload={"n": 2})
    told = app.decide(lambda d: approval.decline_confirm(d, "p.pay", payload={"n": 2}))
    assert told == {"askId": two}
    assert app.decide(lambda d: approval.decline_confirm(d, "p.pay")) == {"askId": one}
