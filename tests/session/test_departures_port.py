"""Departures that an agent sees, through a port on a session in memory."""

from typing import Final, cast

import pytest

from onefate.broker.journey import MapError, compile_map
from onefate.broker.journey.values import bounded
from onefate.broker.session import approval, frames, outcomes, registry
from onefate.broker.session.state import Wire
from onefate.port import Port, PortOptions, call, folded
from tests.guarantees import proves
from tests.session.app import App, one_page
from tests.session.departing import approve, fails, stays_open

pytestmark = [
    proves("call:never-waits", "answer:absent-not-filled", "approve:spent-once"),
    pytest.mark.usefixtures("kept"),
]

CONTRACT: Final = {"type": "object", "properties": {"n": {"type": "number"}}}
ACTIONS: Final[Wire] = {
    "note": {"does": "Note", "writes": ["k"]},
    "look": {"does": "Look"},
    "pay": {"does": "Pay", "confirm": True, "input": CONTRACT},
    "once": {"does": "Once", "concurrency": {"mode": "once"}},
    "set": {"does": "Set", "writes": ["k"], "verify": {"k": {"eq": 1}}},
}


def app(**options: object) -> App:
    definition = one_page(**ACTIONS)
    definition["journeys"] = {"j": {"does": "Flow", "steps": ["look", "pay"]}}
    return App(definition, **options)


def port(of: App, options: PortOptions | None = None) -> Port:
    return Port(of.memory.map, of.memory.options, options)


def told(of: App, tool: str, **arguments: object) -> Wire:
    """What a port answers; no handler has run when this returns."""
    return of.decide(lambda draft: call(draft, port(of), f"g.{tool}", arguments))


def do(of: App, action: str, **arguments: object) -> Wire:
    return told(of, "do_action", action=action, **arguments)


def did(of: App, asked: object) -> Wire:
    """What became of it, once everything has run."""
    of.flush()
    return told(of, "did_it_work", transitionId=asked)


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "look"},
        {"action": "pay", "confirm": True},
        {"action": "once", "input": {"any": "thing"}},
    ],
)
def test_03_a_no_fires_nothing_where_no_card_would_be_shown(arguments: Wire) -> None:
    of = app()
    of.bind()
    before = of.versions
    answer = told(of, "do_action", **arguments, decline=True)
    assert (answer["ok"], answer["judgment"]) == (False, "declined")
    assert "askId" not in answer
    assert of.versions == before


def test_03_a_no_answers_declined_before_any_other_reason() -> None:
    of = app()
    of.bind()
    of.decide(lambda d: registry.set_enabled(d, "app", "p.pay", enabled=False))
    of.done("p.once")
    for action in ("pay", "once"):
        assert do(of, action, decline=True)["judgment"] == "declined"
    assert do(of, "nothing", decline=True)["reason"] == "UNKNOWN_ACTION"


def test_03_a_no_closes_the_card_of_its_own_input() -> None:
    of = app()
    of.bind()
    one, two = (do(of, "pay", input={"n": n})["askId"] for n in (1, 2))
    answer = do(of, "pay", input={"n": 2}, confirm=True, decline=True)
    assert (answer["judgment"], answer["askId"]) == ("declined", two)
    assert [card["askId"] for card in of.decide(approval.asks)] == [one]


@pytest.mark.parametrize("page", ["cellar", "", "p.look", "\ud800"])
def test_04_an_unknown_page_is_answered_with_the_declared_ones(page: str) -> None:
    of = app()
    answer = told(of, "whats_here", routeTo=page)
    assert (answer["ok"], answer["judgment"]) == (False, "error")
    assert (answer["reason"], answer["pages"]) == ("UNKNOWN_PAGE", ["p", "q"])


def test_07_the_answer_to_a_repeat_has_a_sentence_and_the_earlier_fire() -> None:
    of = app()
    of.bind()
    fire = do(of, "once")["transitionId"]
    of.flush()
    answer = do(of, "once")
    assert answer["reason"] == "DUPLICATE_EXECUTION"
    assert answer["priorTransitionId"] == fire
    assert answer["why"]


def test_08_after_a_fold_no_key_describes_return_time() -> None:
    of = app()
    of.bind()
    fired = told(of, "journey.j", step="look")
    assert {"howToSettle", "settleWith", "settlement"} <= fired.keys()
    of.flush()
    do(of, "note")
    fold = of.decide(lambda draft: folded(draft, port(of), dict(fired)))
    assert not {"howToSettle", "settleWith", "settlement", "toNodeClaimed"} & fold.keys()
    assert fold["version"] == told(of, "whats_here")["version"] != fired["version"]
    assert fold["awaitingState"] == ["p.note"]
    assert (fold["transitionId"], fold["effectStatus"]) == (fired["transitionId"], "performed")


def test_09_nobody_is_shown_a_card_for_what_would_be_refused() -> None:
    of = app(requireHumanApproval=True)
    assert do(of, "pay", input={"n": 1})["reason"] == "NOT_MATERIALIZED"
    of.bind()
    assert do(of, "pay", input={"n": "one"})["reason"] == "PAYLOAD_INVALID"
    assert of.decide(approval.asks) == []
    assert do(of, "pay", input={"n": 1})["judgment"] == "needs-confirm"


def test_10_texts_are_cut_by_code_points_and_bounded_once() -> None:
    of = app()
    of.bind(lambda _: {"text": "\U0001f44d" * 201, "rows": [*range(33)]})
    data = cast("Wire", did(of, do(of, "look")["transitionId"])["data"])
    assert data["text"] == "\U0001f44d" * 200 + "…"
    assert data["rows"] == [*range(30), "3 more left out"]
    assert bounded(data) == data


def test_13_news_of_a_settled_fire_stands_beside_its_receipt() -> None:
    of = app()
    of.bind(stays_open)
    fire = str(do(of, "note")["transitionId"])
    of.flush()
    of.report({"k": 1}, transition_id=fire)
    before = did(of, fire)
    assert "later" not in before
    of.decide(lambda d: outcomes.handler_threw(d, fire, {"raised": True, "text": "Error: x"}))
    after = did(of, fire)
    (news,) = cast("list[Wire]", after.pop("later"))
    assert news["what"] == "handler-failed"
    assert {**after, "version": 0} == {**before, "version": 0}


def test_15_a_refused_fire_carries_no_already_true() -> None:
    of = app(state={"k": 1})
    of.bind(fails)
    fired = do(of, "set")
    assert fired["alreadyTrue"]
    answer = did(of, fired["transitionId"])
    assert answer["effectStatus"] == "refused"
    assert "alreadyTrue" not in answer
    assert of.record(str(fired["transitionId"])).get("alreadyTrue")


def test_18_lists_are_of_the_moment_after_the_card_was_minted() -> None:
    of = app(requireHumanApproval=True)
    of.bind()
    answer = told(of, "journey.j", step="pay", confirm=True)
    assert (answer["judgment"], answer["reason"]) == ("needs-confirm", "APPROVAL_REQUIRED")
    assert answer["awaitingHuman"] == [{"askId": answer["askId"], "step": "p.pay"}]
    assert [row["step"] for row in cast("list[Wire]", answer["readySteps"])] == ["p.look"]


def test_18_a_journey_that_cannot_open_says_which_one_is_kept() -> None:
    definition = one_page(**ACTIONS)
    definition["journeys"] = {
        "j": {"does": "Flow", "steps": ["look"]},
        "k": {"does": "Other", "steps": ["once"]},
    }
    of = App(definition)
    of.bind(lambda _: None, "p.look")
    told(of, "journey.j")
    answer = told(of, "journey.k")
    assert (answer["reason"], answer["keptFrame"]) == ("ENTRY_NOT_MATERIALIZED", "j")
    frame = of.decide(frames.journey_frame)
    assert frame is not None
    assert frame["journeyId"] == "j"


def test_12_a_stale_yes_does_not_hide_a_fresh_one() -> None:
    of = app(requireHumanApproval={"expiresAfterMs": 100})
    of.bind()
    for wait in (200, 0):
        approve(of, str(do(of, "pay", input={"n": 1})["askId"]))
        of.memory.now += wait
    assert do(of, "pay", input={"n": 1}, confirm=True)["ok"] is True


@pytest.mark.parametrize(
    ("broken", "path"),
    [
        ({"does": "A", "when": {"k": {"in": [*range(5000)]}}}, "pages.p.actions.a.when.k.in"),
        ({"does": "A", "writes": "k"}, "pages.p.actions.a.writes"),
        ({"does": " "}, "pages.p.actions.a.does"),
        ({}, "pages.p.actions.a.does"),
        ({"does": "A", "goTo": "cellar"}, "pages.p.actions.a.goTo"),
    ],
)
def test_20_a_malformed_map_is_one_error_that_names_the_path(broken: Wire, path: str) -> None:
    with pytest.raises(MapError) as refused:
        compile_map("g", {"pages": {"p": {"actions": {"a": broken}}}})
    assert str(refused.value).startswith(f"{path}: ")
