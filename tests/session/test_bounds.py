"""What a call costs does not grow with what was fired before; what is kept is JSON throughout."""

import json
from typing import cast

import pytest

from onefate.broker.session.state import Wire
from tests.guarantees import proves
from tests.session.app import App, one_page
from tests.session.kept import Stored

pytestmark = proves("fire:atomic", "settle:immutable")

ACTIONS: Wire = {
    "w": {"does": "Write", "writes": ["k"]},
    "o": {"does": "Once", "concurrency": {"mode": "once", "scope": "payload"}},
    "c": {"does": "Commit", "confirm": True},
    "n": {"does": "Go", "goTo": "p"},
}


def fails(payload: object) -> object:
    raise RuntimeError(str(payload))


def life(app: App, number: int) -> None:
    """One of everything: settled, refused, repeated, reported, looked at."""
    fire = app.done("p.w", payload={"n": number})
    app.report({"k": number % 7}, transition_id=fire)
    app.done("p.o", payload={"n": number})
    app.fire("p.o", payload={"n": number})
    app.done("p.c", "user", payload=number % 3)
    app.done("p.n")
    app.sync("p", principal="user")
    app.report({"other": number % 5}, principal="user")
    app.look()


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> App:
    monkeypatch.setattr(App, "kept", Stored)
    app = App(one_page(**ACTIONS), freshness={"readChanges": "disclose"})
    app.bind()
    app.bind(fails, "p.c", group="failing")
    return app


def sizes(app: App) -> dict[str, int]:
    """How long each section is."""
    return {name: len(text) for name, text in cast("Stored", app.memory).texts.items()}


def test_sections_stay_as_small_as_they_were(busy: App) -> None:
    for number in range(30):
        life(busy, number)
    before = sizes(busy)
    for number in range(30, 230):
        life(busy, number)
    grown = {name: size - before[name] for name, size in sizes(busy).items()}
    assert all(more <= 0.2 * before[name] + 16 for name, more in grown.items()), grown


def test_decisions_ask_for_as_little_as_they_did(busy: App) -> None:
    stored = cast("Stored", busy.memory)
    for number in range(5):
        life(busy, number)
    stored.records.clear()
    life(busy, 5)
    early = sorted(stored.records)
    for number in range(6, 60):
        life(busy, number)
    stored.records.clear()
    life(busy, 60)
    assert sorted(stored.records) == early


def test_everything_kept_is_json(busy: App) -> None:
    for number in range(3):
        life(busy, number)
    kept = busy.memory.snapshot
    text = json.dumps([kept.sections, kept.tables, list(kept.logs)], allow_nan=False)
    assert json.loads(text)[0] == kept.sections
