"""The sentences about a name that is not there repeat it, and say which was perhaps meant."""

import pytest

from onefate.broker.journey import MapError, UnknownPageError, compile_map
from onefate.broker.journey.nearest import nearest
from onefate.broker.session.errors import UnknownAction, UnknownJourney, UnknownNode
from tests.guarantees import proves

pytestmark = proves("store:honest")

SHELF = {"actions": {"take": {"does": "Take one"}}}


def told(**definition: object) -> str:
    with pytest.raises(MapError) as caught:
        compile_map("shop", {"pages": {"shelf": SHELF, "till": {}}, **definition})
    return caught.value.problem


def test_the_nearest_name_is_said_where_one_is_near() -> None:
    assert nearest("tkae", ["give", "take"]) == " (the nearest is 'take')"
    assert nearest("attic", ["give", "take"]) == ""
    assert nearest("take", []) == ""


def test_a_name_too_long_to_be_a_slip_is_compared_with_nothing() -> None:
    assert nearest("a" * 101, ["a" * 100]) == ""


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("tkae", "the map has no action 'tkae' (the nearest is 'take')"),
        ("shelf.tak", "the map has no action 'shelf.tak' (the nearest is 'shelf.take')"),
        ("pay", "the map has no action 'pay'"),
    ],
)
def test_an_unknown_step_is_repeated(step: str, problem: str) -> None:
    assert told(journeys={"visit": {"does": "Visit", "steps": [step]}}) == problem


def test_an_ambiguous_step_is_repeated() -> None:
    pages = {"shelf": SHELF, "till": SHELF}
    steps = {"visit": {"does": "Visit", "steps": ["take"]}}
    assert told(pages=pages, journeys=steps) == "'take' can mean shelf.take, till.take"


@pytest.mark.parametrize(
    ("on", "problem"),
    [
        ("shlef", "the map has no page 'shlef' (the nearest is 'shelf')"),
        (["till", "attic"], "the map has no page 'attic'"),
        (["till", 4], "a page is named by a text"),
    ],
)
def test_a_page_that_an_action_is_not_on_is_repeated(on: object, problem: str) -> None:
    assert told(actions={"help": {"does": "Help", "on": on}}) == problem


def test_a_page_that_nothing_goes_to_is_repeated() -> None:
    going = {"help": {"does": "Help", "on": "till", "goTo": "shel"}}
    assert told(actions=going) == "the map has no page 'shel' (the nearest is 'shelf')"


@pytest.mark.parametrize(
    "error",
    [
        UnknownAction("tkae", iter(["take"])),
        UnknownJourney("tkae", iter(["take"])),
        UnknownNode("tkae", iter(["take"])),
        UnknownPageError("tkae", ("take",)),
    ],
)
def test_a_session_says_the_nearest_name_too(
    error: UnknownAction | UnknownJourney | UnknownNode | UnknownPageError,
) -> None:
    assert "'tkae'" in str(error)
    assert "(the nearest is 'take')" in str(error)
    assert error.known == ("take",)
