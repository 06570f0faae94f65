"""Departures 1, 2, 6, 13, 14, 16: whose a report is, and what comes after the fact."""

from typing import cast

import pytest

from onefate.broker.session import (
    approval,
    outcomes,
)
from onefate.broker.session.errors import NotAFire, NothingToReject
from onefate.broker.session.state import Wire
from tests.guarantees import proves
from tests.session.app import App, id_of, one_page
from tests.session.departing import (
    HIGH,
    TWO_WRITES,
    fails,
    later,
    stays_open,
)

pytestmark = [
    proves("settle:first-wins", "settle:immutable", "settle:no-clock", "approve:spent-once"),
    pytest.mark.usefixtures("kept"),
]


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
