"""The tables of a fire's life are what the machine does, whoever speaks and whenever."""

from typing import get_args

import pytest

from onefate.broker.session import outcomes
from onefate.broker.session.errors import NothingToReject
from onefate.broker.session.life import MOVES, SETTLES, Event, Stand, after, stand_of
from onefate.broker.session.state import ABSENT, Wire
from tests.guarantees import proves
from tests.session.app import App

pytestmark = proves("settle:first-wins", "settle:immutable", "settle:no-clock")

UNSEEN: Wire = {"source": "bank", "status": "performed"}


def stays_open(_payload: object) -> object:
    return ABSENT


def standing(stand: Stand) -> tuple[App, str]:
    """An app and a fire that stands there."""
    app = App()
    app.bind(stays_open)
    fire = app.done("p.Z" if stand == "unobserved" else "p.W")
    if stand == "reported":
        app.report({"k": 1}, transition_id=fire)
    if stand == "undone":
        app.decide(lambda d: outcomes.reject(d, fire))
    assert stand_of(app.record(fire)) == stand
    return app, fire


def happen(app: App, fire: str, event: Event) -> None:
    """Let an event happen to the fire."""
    match event:
        case "reported":
            app.report({"k": 1}, transition_id=fire)
        case "completed":
            app.decide(lambda d: outcomes.observe_effect(d, fire, UNSEEN))
        case "failed":
            app.decide(lambda d: outcomes.handler_threw(d, fire, "Error: x"))
        case "rejected":
            app.decide(lambda d: outcomes.reject(d, fire))
        case "superseded":
            app.decide(lambda d: outcomes.reject(d, fire, "superseded"))


@pytest.mark.parametrize("event", get_args(Event))
@pytest.mark.parametrize("stand", get_args(Stand))
def test_every_event_moves_every_stand_as_the_table_says(stand: Stand, event: Event) -> None:
    app, fire = standing(stand)
    before, was = app.record(fire), app.receipt(fire)
    expected = after(before, event) or before["outcome"]
    try:
        happen(app, fire, event)
    except NothingToReject:
        assert (stand, event) not in MOVES
    assert app.record(fire)["outcome"] == expected
    now = app.receipt(fire)
    if was is not None:
        assert now == was
    elif now is not None:
        assert now["effectStatus"] == SETTLES[event]


def test_time_is_no_event() -> None:
    app, fire = standing("waiting")
    app.memory.now += 10**9
    app.look()
    app.flush()
    assert app.receipt(fire) is None
