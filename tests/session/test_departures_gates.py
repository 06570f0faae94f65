"""Departures 7, 9, 19, 20, 21: what a gate says, and what is refused whole."""

import pytest

from onefate.broker.journey import MapError
from onefate.broker.session import (
    acknowledge,
    registry,
    staleness,
)
from onefate.broker.session.attempt import Attempt, FireOptions
from onefate.broker.session.errors import BadOption, UnknownAction
from onefate.broker.session.gates import first_refusal
from onefate.broker.session.state import Wire
from tests.guarantees import proves
from tests.session.app import App, one_page

pytestmark = [
    proves("settle:first-wins", "settle:immutable", "settle:no-clock", "approve:spent-once"),
    pytest.mark.usefixtures("kept"),
]


def test_07_a_duplicate_names_the_fire_it_repeats() -> None:
    app = App(one_page(close={"does": "Close", "concurrency": {"mode": "once"}}))
    app.bind()
    fire = app.done("p.close")
    refused = app.fire("p.close")
    assert refused["priorTransitionId"] == fire
    assert refused["howToRepeat"]


def test_09_what_no_person_can_change_is_asked_before_a_card() -> None:
    contract = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
    app = App(one_page(pay={"does": "Pay", "confirm": True, "input": contract}))

    def refused(payload: Wire) -> str | None:
        attempt = Attempt(app.memory.draft(), "p.pay", FireOptions(payload=payload))
        found = first_refusal(attempt, before_card=True)
        return None if found is None else str(found["reason"])

    assert refused({"n": 1}) == "NOT_MATERIALIZED"
    app.bind()
    assert refused({"n": 1}) is None
    assert refused({"n": "x"}) == "PAYLOAD_INVALID"


def test_19_people_and_records_cite_nothing_and_are_judged_if_they_do() -> None:
    action = {"does": "Order", "reads": ["price"], "freshness": {"readChanges": "refuse"}}
    app = App(one_page(order=action), state={"price": 1})
    app.bind()
    assert app.fire("p.order", "user")["ok"] is True
    assert app.fire("p.order", "agent", invoke=False)["ok"] is True
    for source in ("agent", "system", "unknown"):
        assert app.fire("p.order", source)["reason"] == "OFFER_REQUIRED"
    assert app.fire("p.order", "user", offerId="offer#99")["reason"] == "OFFER_NOT_ON_RECORD"


def test_21_what_one_was_told_is_not_what_another_was() -> None:
    app = App()
    app.bind()
    app.decide(lambda d: staleness.carry(d, "p.Z", ["k"], "agent"))
    app.decide(lambda d: staleness.carry(d, "p.Z", ["k"], "user"))
    app.done("p.Z", "user")
    assert app.decide(lambda d: staleness.carried(d, "p.Z", "user")) == []
    assert app.decide(lambda d: staleness.carried(d, "p.Z")) == ["k"]
    assert app.decide(lambda d: acknowledge.acknowledge_stale(d, "p.Z"))["cleared"] == ["k"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("freshness", {"readChanges": "reefuse"}),
        ("freshness", {"reads": "refuse"}),
        ("attributionPolicy", "lax"),
        ("requireHumanApproval", {"expiresAfter": 5}),
        ("requireHumanApproval", "yes"),
        ("stateTap", 1),
        ("redactedKeys", "pin"),
        ("maxOffers", "many"),
        ("colour", "red"),
    ],
)
def test_20_policy_words_are_checked(option: str, value: object) -> None:
    with pytest.raises(BadOption) as refused:
        App(**{option: value})
    assert refused.value.option.startswith(option)


def test_20_a_registration_that_raises_binds_nothing() -> None:
    app = App()
    with pytest.raises(UnknownAction):
        app.decide(lambda d: registry.register_actions(d, "p", handlers=["Z", "nope"]))
    with pytest.raises(MapError):
        app.decide(
            lambda d: registry.register_actions(
                d, "p", handlers=["X"], actions={"X": {"does": "Ok"}, "bad.name": {"does": "No"}}
            )
        )
    registered = app.memory.draft().registry
    assert (registered["bindings"], registered["declared"], registered["groups"]) == ({}, {}, {})
