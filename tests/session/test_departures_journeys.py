"""Departure 18: which steps are done, and which journeys stay open."""

from typing import cast

import pytest

from onefate.broker.session import (
    frames,
    outcomes,
    registry,
)
from onefate.broker.session.state import Wire
from tests.guarantees import proves
from tests.session.app import App, id_of, one_page
from tests.session.departing import (
    fails,
)

pytestmark = [
    proves("settle:first-wins", "settle:immutable", "settle:no-clock", "approve:spent-once"),
    pytest.mark.usefixtures("kept"),
]


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
