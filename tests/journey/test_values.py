"""Values at the boundary: copies, bounds, redaction, comparison, failures, texts."""

import datetime as dt
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onefate.broker.journey import (
    ABSENT,
    bounded,
    canonical_digest,
    cut,
    detached,
    error_text,
    input_digest,
    redacted,
    returned_failure,
    same_input,
)
from onefate.broker.journey.values import is_list, is_object
from tests.guarantees import proves
from tests.journey.strategies import JSON_VALUES, deep

pytestmark = proves("call:never-waits", "text:two-classes")


@given(JSON_VALUES)
def test_bounding_is_done_once(value: object) -> None:
    once = bounded(value)
    assert bounded(once) == once
    json.dumps(once, allow_nan=False)


@given(
    st.lists(st.integers(0, 9), max_size=80) | st.dictionaries(st.text(), st.none(), max_size=80)
)
def test_bounds_say_truly_how_much_is_left_out(value: list[int] | dict[str, None]) -> None:
    once = bounded(value)
    assert bounded(once) == once
    limit = 30 if isinstance(value, list) else 40
    assert isinstance(once, list | dict)
    if len(value) <= limit:
        assert once == value
        return
    assert len(once) == limit + 1
    marker = once[-1] if isinstance(once, list) else once["…"]
    assert str(marker).startswith(f"{len(value) - limit} ")


@pytest.mark.parametrize(("size", "left_out"), [(30, 0), (31, 1), (32, 2), (75, 45)])
def test_a_list_keeps_thirty_items(size: int, left_out: int) -> None:
    once = bounded(list(range(size)))
    assert once == [*range(30), *([f"{left_out} more left out"] if left_out else [])]
    assert bounded(once) == once
    text = [*range(30), "not more left out"]
    assert bounded(text) == [*range(30), "1 more left out"]


@pytest.mark.parametrize(("size", "left_out"), [(40, 0), (41, 1), (42, 2), (75, 35)])
def test_an_object_keeps_forty_keys(size: int, left_out: int) -> None:
    once = bounded({f"k{at}": at for at in range(size)})
    kept: dict[str, object] = {f"k{at}": at for at in range(40)}
    assert once == kept | ({"…": f"{left_out} more left out"} if left_out else {})
    assert bounded(once) == once


def test_a_key_that_gives_way_to_the_marker_is_counted() -> None:
    once = bounded({"…": 0, **{f"k{at}": at for at in range(40)}})
    assert isinstance(once, dict)
    assert (len(once), once["…"]) == (40, "2 more left out")
    assert bounded(once) == once


def test_bounds() -> None:
    assert bounded("x" * 200) == "x" * 200
    assert bounded("\U0001f9ea" * 201) == "\U0001f9ea" * 200 + "…"
    assert bounded([[[[[1]], 2]]]) == [[[[None], 2]]]
    assert bounded({"a": {"b": {"c": {"d": {}}}}}) == {"a": {"b": {"c": {"d": None}}}}
    assert bounded([math.nan, math.inf, 2**53, 2**53 - 1, True]) == [
        None,
        None,
        "9007199254740992",
        2**53 - 1,
        True,
    ]
    assert bounded({"f": len, "gone": ABSENT, 5: 1}) == {"5": 1}
    assert bounded([len]) == [None]
    assert bounded(10**5000) == "(an integer of 16610 bits)"
    assert bounded(10**300) == "1" + "0" * 199 + "…"
    today = dt.date(2026, 1, 2)
    assert bounded(today) == "(a value of type date, which JSON cannot hold)"
    assert cut("abc", 2) == "ab…"


@given(JSON_VALUES)
def test_a_detached_copy_is_equal_and_shares_nothing(value: object) -> None:
    copy = detached(value)
    assert repr(copy) == repr(value)
    assert copy is not value or not isinstance(value, list | dict)


def test_depth_and_cycles_break_nothing() -> None:
    tall = deep(20_000)
    assert input_digest(tall) == input_digest(detached(tall))
    assert same_input(tall, deep(19_998)) == "different"
    assert bounded(tall) == {"in": [{"in": [None]}]} or bounded(tall) == [{"in": [{"in": None}]}]
    redacted(tall, ["in.in"])
    ring: list[object] = []
    ring.append(ring)
    assert input_digest(ring) is None
    assert canonical_digest(ring) == canonical_digest(ring)
    copy = detached(ring)
    assert isinstance(copy, list)
    assert copy[0] is copy
    assert redacted({"a": ring}, ["a.b"]) is not None


def test_redaction_follows_paths() -> None:
    value = {"card": {"pin": 1, "name": "x"}, "cards": [{"pin": None}, {"other": 1}, 5], "s": "t"}
    before = repr(value)
    assert redacted(value, ["card.pin", "cards..pin", "s.x", "absent.a", "", "..."]) == {
        "card": {"pin": "[REDACTED]", "name": "x"},
        "cards": [{"pin": "[REDACTED]"}, {"other": 1}, 5],
        "s": "t",
    }
    assert repr(value) == before
    assert redacted({"a": ABSENT}, ["a"]) == {"a": ABSENT}
    assert redacted({"a": {1, 2}, "b": [{3}]}, ["a.b", "b.c"]) == {
        "a": "[REDACTED]",
        "b": ["[REDACTED]"],
    }
    assert redacted([[{"a": 1}]], ["a"]) == [[{"a": "[REDACTED]"}]]
    assert redacted("text", ["a"]) == "text"
    assert redacted([1], [".", ""]) == [1]
    shared = {"a": 1}
    assert redacted([shared, shared], ["a"]) == [{"a": "[REDACTED]"}, {"a": "[REDACTED]"}]


@given(JSON_VALUES, JSON_VALUES)
def test_equal_inputs_and_only_they_have_one_digest(one: object, other: object) -> None:
    assert same_input(one, detached(one)) in {"same", "cannot-judge"}
    if repr(one) == repr(other):
        return
    if same_input(one, other) == "same":
        assert repr(normal(one)) == repr(normal(other))


def normal(value: object) -> object:
    """The value with numbers by value and keys in order."""
    if isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_list(value):
        return [normal(part) for part in value]
    if is_object(value):
        return {key: normal(value[key]) for key in sorted(value, key=str)}
    return value


def test_inputs_compare() -> None:
    assert same_input({"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0}) == "same"
    assert same_input({"a": 1, "x": ABSENT}, {"a": 1}) == "same"
    assert same_input(ABSENT, ABSENT) == "same"
    assert same_input(ABSENT, None) == "different"
    assert same_input([1], [True]) == "different"
    assert same_input("1", 1) == "different"
    assert same_input(-0.0, 0) == "same"
    assert same_input(["a", "b"], ["ab"]) == "different"
    assert same_input({"a": {}}, {"a": []}) == "different"
    assert same_input("x" * 10_000, "x" * 9_999 + "y") == "different"
    assert same_input("\ud83e", "\ud83f") == "different"
    assert same_input(10**5000, 10**5000) == "same"
    for value in (math.nan, math.inf, {1}, {5: 1}, [len], dt.date(2026, 1, 1)):
        assert same_input(value, value) == "cannot-judge"
    assert canonical_digest(math.nan) != canonical_digest(math.inf)


def test_the_digest_is_one_text_for_ever() -> None:
    assert input_digest({"a": [1, "x", None]}) == input_digest({"a": [1.0, "x", None]})
    assert input_digest(None) == "1b16b1df538ba12dc3f97edbb85caa7050d46c148134290feba80f8236c83db9"


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        ({"ok": False, "error": "no"}, "no"),
        ({"ok": False, "error": None}, {"ok": False, "error": None}),
        ({"ok": False}, {"ok": False}),
    ],
)
def test_a_returned_failure(returned: object, reason: object) -> None:
    failure = returned_failure(returned)
    assert failure is not None
    assert failure.reason == reason


@pytest.mark.parametrize("returned", [{"ok": 0}, {"ok": True}, {"error": "x"}, None, "ok", [False]])
def test_ordinary_returns(returned: object) -> None:
    assert returned_failure(returned) is None


class Explained(Exception):  # noqa: N818 - a stranger's error
    """An error that says what the agent should read."""

    reason = "CODE"
    explanation = "what happened"


class Unprintable(Exception):  # noqa: N818 - a stranger's error
    """An error whose text raises."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("flat tyre"), "ValueError: flat tyre"),
        (ValueError(), "ValueError"),
        (Explained("x"), "what happened"),
        ({"reason": "CODE", "explanation": "said"}, "said"),
        ({"reason": 5, "explanation": "said"}, '{"reason": 5, "explanation": "said"}'),
        ("turned down", "turned down"),
        ("", ""),
        (404, "404"),
        (None, "null"),
        (True, "true"),
        ([1], "[1]"),
        (ABSENT, "undefined"),
        ("C" * 201, "C" * 200 + "…"),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (Unprintable(), "The error cannot be rendered as text."),
    ],
)
def test_error_texts(error: object, expected: str) -> None:
    assert error_text(error) == expected
