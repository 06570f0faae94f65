"""Where the machine leaves the reference, one test or more an item (docs/departures.md)."""

from typing import cast

import pytest

from onefate.broker.journey import MapError
from onefate.broker.session import (
    acknowledge,
    approval,
    frames,
    outcomes,
    registry,
    staleness,
)
from onefate.broker.session.attempt import Attempt, FireOptions
from onefate.broker.session.errors import BadOption, NotAFire, NothingToReject, UnknownAction
from onefate.broker.session.gates import first_refusal
from onefate.broker.session.rows import find
from onefate.broker.session.state import ABSENT, Ask, Wire
from tests.guarantees import proves
from tests.session.app import App, id_of, one_page

pytestmark = [
    proves("settle:first-wins", "settle:immutable", "settle:no-clock", "approve:spent-once"),
    pytest.mark.usefixtures("kept"),
]

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


# 1 and 2: whose report it is


def test_01_a_bare_report_meets_a_fire_whose_every_write_it_names() -> None:
    app = App(one_page(**TWO_WRITES))
    app.bind()
    first, second = app.done("p.a"), app.done("p.b")
    assert app.report({"y": 1})["attributed"] is True
    assert app.receipt(first) is None
    assert app.receipt(second) is not None


def test_01_a_report_that_meets_two_fires_settles_neither() -> None:
    app = App(one_page(**TWO_WRITES))
    app.bind()
    fires = [app.done("p.a"), app.done("p.b")]
    assert app.report({"x": 1, "y": 1})["attributed"] is False
    assert [app.receipt(fire) for fire in fires] == [None, None]


def test_01_a_running_handler_plays_no_part() -> None:
    app = App(one_page(**TWO_WRITES))
    app.bind(stays_open)
    fire = app.done("p.b")
    assert app.report({"y": 1})["attributed"] is True
    assert app.receipt(fire) is not None


def test_02_a_report_inside_a_handler_is_its_fires_own() -> None:
    app = App(one_page(**TWO_WRITES))
    app.bind(stays_open)
    first, second = app.done("p.b"), app.done("p.b")
    answer = app.report({"y": 1}, inside=second)
    assert answer["attributed"] is True
    assert app.receipt(first) is None
    assert app.record(second)["attribution"]["basis"] == "handler-window"


def test_02_a_fire_that_awaits_no_report_takes_none_and_gives_none_away() -> None:
    app = App(one_page(**TWO_WRITES))
    app.bind(stays_open)
    waiting, running = app.done("p.b"), app.done("p.c")
    answer = app.report({"y": 1}, inside=running)
    assert (answer["attributed"], cast("Wire", answer["transition"])["id"]) == (
        False,
        "stimulus:unknown#3",
    )
    assert app.receipt(waiting) is None
    assert app.memory.draft().state == {"y": 1}


def test_02_nor_is_it_inferred_to_be_another_action() -> None:
    app = App(one_page(**TWO_WRITES))
    app.bind(stays_open)
    running = app.done("p.c")
    answer = app.report({"y": 1}, inside=running)
    assert cast("Wire", answer["transition"])["id"] == "stimulus:unknown#2"


def test_02_after_its_fire_has_settled_it_is_a_later_fact() -> None:
    app = App(one_page(**TWO_WRITES))
    app.bind(stays_open)
    fire = app.done("p.b")
    app.report({"y": 1}, transition_id=fire)
    assert app.report({"y": 2}, inside=fire)["attributed"] is False
    assert later(app, fire) == ["reported"]


# 5, 11, 12, 17: cards


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


# 6, 13, 14, 16: after the fact


def test_06_a_rejected_fire_does_not_start() -> None:
    app = App()
    app.bind(fails)
    fire = id_of(app.fire("p.W"))
    app.decide(lambda d: outcomes.reject(d, fire))
    app.flush()
    assert app.record(fire)["outcome"] == "rejected"
    assert later(app, fire) == []


def test_13_a_failure_after_the_report_is_kept() -> None:
    app = App()
    app.bind(stays_open)
    fire = app.done("p.W")
    app.report({"k": 1}, transition_id=fire)
    receipt = app.receipt(fire)
    app.decide(lambda d: outcomes.handler_threw(d, fire, {"raised": True, "text": "Error: x"}))
    assert app.receipt(fire) == receipt
    assert app.record(fire)["outcome"] == "committed"
    assert later(app, fire) == ["handler-failed"]


def test_13_a_return_after_a_rejection_is_news_and_a_plain_one_is_none() -> None:
    app = App()
    app.bind(stays_open)
    rejected, reported = app.done("p.W"), app.done("p.W")
    app.decide(lambda d: outcomes.reject(d, rejected))
    app.report({"k": 1}, transition_id=reported)
    app.decide(lambda d: outcomes.handler_returned(d, rejected, "done"))
    app.decide(lambda d: outcomes.handler_returned(d, reported, "done"))
    assert later(app, rejected) == ["handler-returned"]
    assert later(app, reported) == []


def test_13_a_report_or_an_observation_that_names_it_is_kept() -> None:
    app = App()
    app.bind()
    fire = app.done("p.Z")
    refused = app.report({"k": 1}, transition_id=fire)
    assert (refused["reason"], app.memory.draft().state) == ("UNKNOWN_TRANSITION", {})
    seen: Wire = {"source": "bank", "status": "refused"}
    assert app.decide(lambda d: outcomes.observe_effect(d, fire, seen))["settled"] is False
    assert later(app, fire) == ["reported", "observed"]


def test_14_a_failure_leaves_a_page_that_the_app_has_reported() -> None:
    app = App()
    app.bind(stays_open)
    fire = app.done("p.N")
    app.sync("q")
    app.decide(lambda d: outcomes.handler_threw(d, fire, "late"))
    assert app.memory.draft().position["node"] == "q"
    assert app.record(fire).get("arrival") == "observed"


def test_14_a_rejected_navigation_never_arrives() -> None:
    app = App()
    app.bind(stays_open)
    fire = app.done("p.N")
    app.decide(lambda d: outcomes.reject(d, fire))
    app.sync("q")
    assert app.record(fire).get("arrival") == "claimed"


def test_16_a_grant_is_for_a_declared_action() -> None:
    app = App(one_page(**HIGH), requireHumanApproval=True)
    refused = app.decide(lambda d: approval.always_approve(d, "p.pya", by="nora"))
    assert refused["ok"] is False


def test_16_what_nobody_fired_has_no_fate() -> None:
    app = App()
    app.bind()
    row = "stimulus:structure-swap#0"
    assert app.report({"k": 1}, transition_id=row)["reason"] == "NOT_A_FIRE"
    with pytest.raises(NotAFire):
        app.decide(lambda d: outcomes.reject(d, row))
    with pytest.raises(NothingToReject):
        app.decide(lambda d: outcomes.reject(d, "p.Z#77"))


# 7, 9, 19, 21: what a gate says


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


# 18: journeys


def journey(*steps: str, **options: object) -> App:
    definition = one_page()
    definition["journeys"] = {
        "j": {"does": "Flow", "steps": [*steps]},
        "k": {"does": "Other", "steps": ["C"]},
    }
    return App(definition, **options)


def test_18_a_step_that_was_rolled_back_is_not_done() -> None:
    app = journey("Z", "C")
    app.bind(fails)
    app.decide(lambda d: frames.commit_journey(d, "j"))
    fire = id_of(app.fire("p.Z"))
    status = [row["status"] for row in app.decide(lambda d: frames.journey_plan(d, "j"))]
    assert status == ["done", "ready"]
    app.flush()
    status = [row["status"] for row in app.decide(lambda d: frames.journey_plan(d, "j"))]
    assert status == ["ready", "ready"]
    standing = app.decide(lambda d: frames.journey_standing(d, "j"))
    assert standing["standing"] == "failed"
    assert cast("Wire", standing["evidence"])["transitionId"] == fire


def test_18_a_completed_journey_does_not_stand_once_a_step_is_taken_back() -> None:
    app = journey("Z")
    app.bind()
    app.decide(lambda d: frames.commit_journey(d, "j"))
    first, second = app.done("p.Z"), app.done("p.Z")
    app.decide(frames.leave_journey)
    app.decide(lambda d: outcomes.reject(d, first))
    assert app.decide(lambda d: frames.journey_standing(d, "j"))["standing"] == "done"
    app.decide(lambda d: outcomes.reject(d, second))
    assert app.decide(lambda d: frames.journey_standing(d, "j"))["standing"] != "done"
    (closed,) = app.decide(frames.closed_frames)
    assert closed["firedSteps"] == []


def test_18_a_superseded_step_stays_done() -> None:
    app = journey("Z", "C")
    app.bind()
    app.decide(lambda d: frames.commit_journey(d, "j"))
    fire = app.done("p.Z")
    app.decide(lambda d: outcomes.reject(d, fire, "superseded"))
    (first, _) = app.decide(lambda d: frames.journey_plan(d, "j"))
    assert first["status"] == "done"


def test_18_a_journey_that_cannot_open_leaves_the_open_one() -> None:
    app = journey("Z")
    app.bind(lambda _: None, "p.Z")
    app.decide(lambda d: frames.commit_journey(d, "j"))
    refused = app.decide(lambda d: frames.open_journey(d, "k"))
    assert refused["reason"] == "ENTRY_NOT_MATERIALIZED"
    frame = app.decide(frames.journey_frame)
    assert frame is not None
    assert frame["journeyId"] == "j"


def test_18_a_hidden_step_is_not_ready() -> None:
    definition: Wire = {
        "pages": {"p": {"areas": {"a": {"actions": {"go": {"does": "Go"}}}}}},
        "journeys": {"j": {"does": "Flow", "steps": ["go"]}},
    }
    app = App(definition)
    app.decide(lambda d: registry.set_visible(d, "p.a", visible=False))
    (step,) = app.decide(lambda d: frames.journey_plan(d, "j"))
    assert step["status"] == "off-node"


# 20: what is malformed is refused whole


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
