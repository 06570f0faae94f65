"""How an answer is held against a recorded one."""

import pytest

from tests.conformance.compare import differences
from tests.conformance.scenario import MISSING, Json, lookup, resolved
from tests.guarantees import proves

pytestmark = proves("answer:absent-not-filled")


def places(expected: Json, got: Json) -> list[str]:
    return [difference.path for difference in differences(expected, got)]


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("<text>", "any sentence"),
        ({"raises": "Error"}, {"raises": "NEVER_EXISTED"}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1, "at": 5}, {"a": 1}),
        ({"a": [{"b": None}]}, {"a": [{"b": None}]}),
        ({"judgment": "still-pending"}, {"judgment": "still-pending", "evidence": {"attempt": 1}}),
    ],
)
def test_what_counts_as_the_same(expected: Json, got: Json) -> None:
    assert places(expected, got) == []


@pytest.mark.parametrize(
    ("expected", "got", "where"),
    [
        ("<text>", "", ""),
        ("<text>", None, ""),
        ({"a": True}, {"a": 1}, "a"),
        ({"a": 0}, {"a": False}, "a"),
        ({"a": None}, {}, "a"),
        ({}, {"a": None}, "a"),
        ({"a": [1, 2]}, {"a": [1]}, "a[1]"),
        ({"a": [1]}, {"a": [1, 2]}, "a[1]"),
        ({"raises": "Error"}, {"ok": True}, "ok"),
        ({"raises": "Error"}, {"crashed": "KeyError"}, "crashed"),
        ({"judgment": "blocked"}, {"judgment": "blocked", "evidence": []}, "evidence"),
        ({"a": "1"}, {"a": 1}, "a"),
    ],
)
def test_what_counts_as_different(expected: Json, got: Json, where: str) -> None:
    assert where in places(expected, got)


def test_references_name_parts_of_saved_answers() -> None:
    saved: dict[str, Json] = {"s": {"rows": [{"id": "offer#1"}]}}
    assert lookup("$s.rows.0.id", saved) == "offer#1"
    assert lookup("$s.rows.1.id", saved) is MISSING
    assert lookup("$t.id", saved) is MISSING
    step: Json = {"a": "$s.rows.0.id", "b": "$s.none", "c": ["$s.none"], "d": "plain"}
    assert resolved(step, saved) == {"a": "offer#1", "c": [None], "d": "plain"}
