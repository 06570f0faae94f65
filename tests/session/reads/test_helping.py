"""What helps where something is not served: why, which way, what unblocks, who decides (§13.3)."""

import pytest

from onefate.broker.journey import UnknownPageError
from onefate.broker.journey.values import REDACTED
from onefate.broker.session.draft import Draft
from onefate.broker.session.errors import UnknownAction
from onefate.broker.session.reads.available import (
    available_journeys,
    explain,
)
from onefate.broker.session.reads.decisions import decisions
from onefate.broker.session.reads.receipts import card_receipts
from onefate.broker.session.reads.routes import how_to_reach
from onefate.broker.session.reads.unblocks import what_unblocks
from onefate.broker.session.state import Wire
from tests.guarantees import proves
from tests.session.reads.world import happened, page_of, world

pytestmark = proves("answer:absent-not-filled")


def test_explain_asks_the_page_and_the_guard_and_not_the_tree() -> None:
    draft = world(state={"pulse": 0})
    assert explain(draft, "chart.allergy.acknowledge")["available"] is True
    told = explain(draft, "chart.sign")
    assert (told["offeredOnThisNode"], told["guardPassed"], told["available"]) == (
        True,
        False,
        False,
    )
    assert explain(draft, "home.enter")["offeredOnThisNode"] is False
    assert explain(world(), "chart.sign").get("guardUnevaluated") == ["pulse"]
    with pytest.raises(UnknownAction):
        explain(draft, "nothing")


def test_journeys_tell_whether_they_could_be_opened_from_here() -> None:
    (row,) = available_journeys(world())
    assert row["preconditionPassed"]
    assert row["entryAvailable"]
    assert row.get("preconditionUnevaluable") == ["open"]
    (row,) = available_journeys(world(state={"open": False}, node="home"))
    assert not row["preconditionPassed"]
    assert not row["entryAvailable"]
    assert "preconditionUnevaluable" not in row


def test_what_unblocks_names_writers_of_conditions_that_are_false_now() -> None:
    assert what_unblocks(world(state={"pulse": 0}), "chart.sign") == [
        {"affordanceId": "chart.vitals.measure", "viaKeys": ["pulse"]}
    ]
    assert what_unblocks(world(state={"pulse": 60}), "chart.sign") == []
    assert what_unblocks(world(), "nothing") == []


def test_ways_are_counted_from_where_the_session_stands() -> None:
    draft = world(node="home")
    hops = how_to_reach(draft, "chart")
    assert hops is not None
    assert [(hop.action, hop.to) for hop in hops] == [("home.enter", "chart")]
    assert how_to_reach(draft, "home") == ()
    with pytest.raises(UnknownPageError):
        how_to_reach(draft, "nowhere")


@pytest.mark.parametrize(
    ("state", "made"), [({}, "unknown"), ({"signed": 0}, False), ({"signed": 1}, True)]
)
def test_a_decision_is_made_not_made_or_not_known(state: Wire, made: object) -> None:
    (row,) = decisions(world(state=state))
    assert row == {"affordanceId": "chart.sign", "about": "whether to sign", "made": made}


def test_a_choice_without_a_subject_has_none_and_no_way_to_be_known_made() -> None:
    draft = world(page_of(a={"does": "A", "humanDecides": {}}))
    assert decisions(draft) == [{"affordanceId": "p.a", "made": "unknown"}]


def test_who_made_a_decision_is_only_told_while_it_stands() -> None:
    draft = world(state={"signed": 1})
    draft.edit(Draft.decided)["chart.sign"] = "user"
    assert decisions(draft)[0].get("madeBy") == "user"
    draft.edit(Draft.state)["signed"] = 0
    assert "madeBy" not in decisions(draft)[0]


def test_a_card_shows_what_will_be_done_with_what_and_why_it_may_be() -> None:
    draft = world(state={"pulse": 60}, redactedFields={"payload": ["pin"]})
    for n in range(7):
        happened(draft, "page" if n % 2 else None, stimulus="push", principal="user")
    shown = card_receipts(draft, "chart.sign", {"pin": 1}, "b1")
    assert shown["willDo"] == {"does": "Sign the chart", "writes": ["signed"], "reads": ["pulse"]}
    assert [c["key"] for c in shown["because"]] == ["pulse"]
    assert "becauseUnevaluated" not in shown
    assert shown.get("willUse") == {"input": {"pin": REDACTED}, "instance": "b1"}
    assert (shown["youAreOn"], shown["version"]) == ("chart", 7)
    assert [step["what"] for step in shown["recentSteps"]] == [
        "stimulus:push",
        "page",
        "stimulus:push",
        "page",
        "stimulus:push",
    ]


def test_a_card_says_when_its_effect_cannot_be_verified_and_invents_nothing() -> None:
    shown = card_receipts(world(stateTap=False), "chart.sign")
    assert shown["willDo"].get("effectUnverifiable") is True
    assert shown.get("becauseUnevaluated") == ["pulse"]
    assert "willUse" not in shown
    assert card_receipts(world(), "chart.leave")["willDo"] == {
        "does": "Leave",
        "navigatesTo": "home",
    }
    assert card_receipts(world(), "nothing")["willDo"] == {"does": "nothing"}
