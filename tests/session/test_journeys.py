"""The open frame, its plan, and the word for how a journey stands (spec: graph-session §13.2)."""

from typing import cast

import pytest

from onefate.broker.session import approval, frames, outcomes
from onefate.broker.session.errors import UnknownJourney
from onefate.broker.session.state import Wire
from tests.guarantees import proves
from tests.session.app import App

pytestmark = [proves("fire:atomic", "answer:absent-not-filled"), pytest.mark.usefixtures("kept")]

MAP: Wire = {
    "pages": {
        "p": {
            "actions": {
                "pick": {"does": "Pick", "writes": ["item"]},
                "pay": {"does": "Pay", "when": {"item": {"eq": 1}}, "confirm": True},
                "choose": {"does": "Choose", "humanDecides": {"about": "which"}},
                "leave": {"does": "Leave", "goTo": "q"},
                "tap": {"does": "Tap", "binding": {"kind": "keychord", "chord": "t"}},
            }
        },
        "q": {"actions": {"end": {"does": "End"}}},
    },
    "journeys": {
        "buy": {"does": "Buy", "steps": ["pick", "pay", "end"], "when": {"on": {"eq": 1}}},
        "ask": {"does": "Ask", "steps": ["choose"]},
        "tap": {"does": "Tap", "steps": ["tap"]},
        "go": {"does": "Go", "steps": ["leave", "end"]},
    },
}


def shop(**state: object) -> App:
    app = App(MAP, state=state or {"on": 1})
    app.bind(lambda _: None, "p.pick", "p.pay", "p.choose", "p.leave", "q.end")
    return app


def commit(app: App, journey: str, source: str = "agent", version: int | None = None) -> Wire:
    return app.decide(
        lambda d: frames.commit_journey(d, journey, source=source, expected_version=version)
    )


def standing(app: App, journey: str) -> tuple[object, Wire]:
    told = app.decide(lambda d: frames.journey_standing(d, journey))
    return told["standing"], cast("Wire", told["evidence"])


def statuses(app: App, journey: str) -> list[object]:
    return [row["status"] for row in app.decide(lambda d: frames.journey_plan(d, journey))]


def test_the_checks_of_opening_come_in_order() -> None:
    app = shop(on=0)
    refused = commit(app, "nope", version=99)
    assert (refused["reason"], refused["known"]) == ("UNKNOWN_JOURNEY", ["buy", "ask", "tap", "go"])
    assert app.decide(lambda d: frames.open_journey(d, "nope"))["reason"] == "UNKNOWN_JOURNEY"
    assert commit(app, "buy", version=99)["reason"] == "STALE_CURSOR"
    refused = commit(app, "buy")
    assert (refused["reason"], len(cast("list[Wire]", refused["evidence"]))) == (
        "PRECONDITION_FAILED",
        1,
    )
    assert app.decide(lambda d: d.gaps.all()) == []
    refused = commit(app, "tap")
    assert (refused["reason"], refused["gesture"]) == (
        "ENTRY_NOT_MATERIALIZED",
        {"kind": "keychord", "chord": "t"},
    )
    (gap,) = app.decide(lambda d: d.gaps.all())
    assert (gap["journeyId"], gap["gestureKind"]) == ("tap", "keychord")
    assert commit(app, "tap", "user")["ok"] is True
    refused = commit(app, "ask")
    assert (refused["reason"], refused["journeyId"]) == ("FRAME_ALREADY_OPEN", "tap")


def test_opening_and_leaving_are_motions_of_the_structure() -> None:
    app = shop()
    before = app.versions
    opened = commit(app, "buy")
    assert app.versions == (before[0] + 1, before[1], before[2] + 1)
    assert (opened["version"], len(cast("list[Wire]", opened["plan"]))) == (before[0] + 1, 3)
    assert app.decide(frames.journey_frame) == opened["frame"]
    left = app.decide(frames.leave_journey)
    assert left is not None
    assert left["status"] == "cancelled"
    assert app.decide(frames.leave_journey) is None
    assert app.decide(frames.journey_frame) is None
    assert app.versions == (before[0] + 2, before[1], before[2] + 2)


def test_a_condition_nobody_knows_is_told_and_passes() -> None:
    opened = commit(shop(other=1), "buy")
    assert opened["preconditionUnevaluable"] == ["on"]


def test_a_plan_says_where_each_step_stands() -> None:
    app = shop(on=1, item=0)
    commit(app, "buy")
    assert statuses(app, "buy") == ["ready", "blocked", "off-node"]
    rows = app.decide(lambda d: frames.journey_plan(d, "buy"))
    assert rows[1]["dependsOn"] == [{"affordanceId": "p.pick", "viaKeys": ["item"]}]
    fire = app.done("p.pick")
    app.report({"item": 1}, transition_id=fire)
    assert statuses(app, "buy") == ["done", "ready", "off-node"]
    with pytest.raises(UnknownJourney):
        app.decide(lambda d: frames.journey_plan(d, "nope"))


def test_an_inferred_step_is_told_apart_and_can_be_taken_back() -> None:
    app = shop()
    commit(app, "buy")
    app.report({"item": 1})
    assert statuses(app, "buy") == ["inferred-done", "ready", "off-node"]
    app.decide(lambda d: outcomes.reject(d, "p.pick#1"))
    assert statuses(app, "buy")[0] == "ready"


def test_a_step_counts_only_in_the_frame_in_which_it_was_fired() -> None:
    app = shop()
    fire = app.done("p.choose")
    commit(app, "ask")
    assert statuses(app, "ask") == ["ready"]
    app.decide(frames.leave_journey)
    app.decide(lambda d: outcomes.reject(d, fire))
    commit(app, "ask")
    app.done("p.choose")
    left = app.decide(frames.leave_journey)
    assert left is not None
    assert left["status"] == "completed"
    closed = app.decide(frames.closed_frames)
    assert [frame["status"] for frame in closed] == ["cancelled", "completed"]
    assert standing(app, "ask") == ("done", {"stepsDone": 1, "stepsTotal": 1})


def test_the_words_for_how_a_journey_stands() -> None:
    app = shop(on=1, item=0)
    assert standing(app, "ask")[0] == "with-the-human"
    assert standing(app, "buy")[0] == "in-progress"
    fire = app.done("p.pick")
    app.decide(lambda d: outcomes.reject(d, fire))
    assert standing(app, "buy")[1]["transitionId"] == fire
    commit(app, "buy")
    fire = app.done("p.pick")
    app.report({"item": 0}, transition_id=fire)
    word, evidence = standing(app, "buy")
    assert (word, len(cast("list[Wire]", evidence["blockedOn"]))) == ("blocked", 1)
    card = app.decide(lambda d: approval.confirm_ask(d, "p.pay"))["askId"]
    assert standing(app, "buy") == (
        "awaiting-human",
        {"stepsDone": 1, "stepsTotal": 3, "step": "p.pay", "askId": card},
    )


def test_a_declined_step_stands_declined() -> None:
    app = App(MAP, state={"on": 1, "item": 1}, requireHumanApproval=True)
    app.bind(lambda _: None, "p.pick", "p.pay")
    commit(app, "buy")
    app.report({"item": 1}, transition_id=app.done("p.pick"))
    card = str(app.decide(lambda d: approval.confirm_ask(d, "p.pay"))["askId"])
    app.decide(lambda d: approval.decline_ask(d, card, by="nora"))
    assert standing(app, "buy")[0] == "declined"


def test_all_steps_done_stand_done_before_anybody_closes_the_frame() -> None:
    app = shop()
    commit(app, "go")
    app.done("p.leave")
    app.done("q.end")
    assert standing(app, "go") == ("done", {"stepsDone": 2, "stepsTotal": 2})


def test_a_motion_that_breaks_the_condition_demotes() -> None:
    app = shop()
    commit(app, "buy")
    app.report({"on": 1}, principal="user")
    assert app.decide(frames.journey_frame) is not None
    app.report({"on": 2}, principal="user")
    assert app.decide(frames.journey_frame) is None
    assert standing(app, "buy")[0] == "in-progress"
