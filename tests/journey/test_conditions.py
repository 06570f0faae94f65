"""Conditions: total, three-valued, and as strict or as coercing as the front end is."""

import math
from collections.abc import Mapping
from typing import Literal

import pytest
from hypothesis import given

from onefate.broker.journey import Filter, compose, evaluate, filter_of, matches, summary
from onefate.broker.journey.conditions import holds
from onefate.broker.journey.scalars import number_text, to_number
from onefate.broker.journey.values import ABSENT
from tests.guarantees import proves
from tests.journey.strategies import FILTERS, JSON_VALUES, STATES, deep

pytestmark = proves("answer:absent-not-filled", "call:never-waits")

Operator = Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "notIn"]


@pytest.mark.parametrize(
    ("operator", "actual", "threshold", "expected"),
    [
        ("eq", 1, 1.0, True),
        ("eq", True, 1, False),
        ("eq", 0, False, False),
        ("ne", True, 1, True),
        ("eq", None, None, True),
        ("eq", [1], [1], False),
        ("ne", {}, {}, True),
        ("eq", math.nan, math.nan, False),
        ("eq", "1", 1, False),
        ("eq", 2**64, float(2**64), True),
        ("in", math.nan, [1, math.nan], True),
        ("in", True, [1, "true"], False),
        ("notIn", True, [1], True),
        ("notIn", None, [None], False),
        ("in", [1], [[1]], False),
        ("gte", None, 0, True),
        ("gt", True, 0, True),
        ("gt", "10", 9, True),
        ("lt", "10", "9", True),
        ("lt", "\U0001f9ea", "\uffee", True),
        ("lt", "\ud83e", "\ud83f", True),
        ("lte", "  ", 0, True),
        ("gte", "0x10", 16, True),
        ("gt", "1_0", 5, False),
        ("lt", "nan", 5, False),
        ("gte", "Infinity", 10**400, True),
        ("lt", [], 5, False),
        ("gte", {}, 0, False),
        ("gte", math.nan, math.nan, False),
        ("gt", 10**400, 1.5, True),
    ],
)
def test_operators(
    operator: Operator, actual: object, threshold: object, *, expected: bool
) -> None:
    assert holds(operator, actual, threshold) is expected


@given(declared=FILTERS, state=STATES)
def test_evaluation_is_total_and_honest(
    declared: Mapping[str, Mapping[str, object]], state: dict[str, object]
) -> None:
    asked = filter_of(declared, ())
    found = evaluate(asked, state)
    assert found.unevaluable == tuple(key for key in declared if key not in state)
    tested = [(key, op) for key in declared if key in state for op in declared[key]]
    assert [(c["key"], c["op"]) for c in found.conditions] == tested
    assert found.matched is all(c["result"] for c in found.conditions)
    assert found.matched is matches(asked, state)
    assert found.verdict == (
        "failed" if found.failing else "unevaluable" if found.unevaluable else "held"
    )


@given(declared=FILTERS)
def test_a_filter_reads_back_as_declared(declared: Mapping[str, Mapping[str, object]]) -> None:
    assert repr(filter_of(declared, ()).wire()) == repr(declared)


@given(one=FILTERS, state=STATES)
def test_composing_asks_no_more_and_no_less(
    one: Mapping[str, Mapping[str, object]], state: dict[str, object]
) -> None:
    asked = filter_of(one, ())
    both = compose((asked, None, asked))
    assert isinstance(both, Filter)
    assert evaluate(both, state).matched is evaluate(asked, state).matched
    assert compose(()) is None


def test_unknown_keys_neither_hold_nor_fail() -> None:
    asked = filter_of({"a": {"eq": 1}, "b": {"eq": 2}}, ())
    assert evaluate(asked, {}).matched
    assert evaluate(asked, {}).verdict == "unevaluable"
    assert evaluate(asked, {"a": ABSENT, "b": 2}).verdict == "unevaluable"
    assert evaluate(asked, {"a": 3}).verdict == "failed"
    assert evaluate(asked, {"a": 1, "b": 2}).verdict == "held"
    assert evaluate(None, {"a": 1}).verdict == "held"
    assert matches(None, {"a": 1})


def test_evidence_hides_a_key_and_compares_the_value() -> None:
    asked = filter_of({"pin": {"eq": "4711"}}, ())
    (condition,) = evaluate(asked, {"pin": "4711"}, {"pin"}).conditions
    assert condition == {
        "key": "pin",
        "op": "eq",
        "threshold": "4711",
        "actualSummary": "[REDACTED]",
        "result": True,
        "redacted": True,
    }


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (ABSENT, "undefined"),
        (None, "null"),
        (1.0, "1"),
        (True, "true"),
        ('a "b"', '"a "b""'),
        ("v" * 80, f'"{"v" * 80}"'),
        ("v" * 81, f'"{"v" * 77}..."'),
        ([], "[]"),
        ([1], "(1 item)"),
        ((1, 2), "(2 items)"),
        ({}, "{}"),
        (dict.fromkeys("abcdef"), "{a, b, c, d, ... (6 keys)}"),
        ({"k" * 60: 1, "m" * 60: 2}, "{2 keys}"),
        (object(), "(object)"),
    ],
)
def test_summaries(actual: object, expected: str) -> None:
    assert summary(actual) == expected


@given(JSON_VALUES)
def test_summaries_are_short(actual: object) -> None:
    assert len(summary(actual)) <= 82


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (-0.0, "0"),
        (1e21, "1e+21"),
        (123456789012345680000, "123456789012345680000"),
        (1e-6, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (5e-324, "5e-324"),
        (-1234.5, "-1234.5"),
        (10**400, "Infinity"),
        (-(10**400), "-Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_numbers_read_as_in_the_front_end(number: float, expected: str) -> None:
    assert number_text(number) == expected


def test_odd_numbers_in_texts() -> None:
    assert [to_number(t) for t in ("0b11", "0O17", "+.5", "-Infinity")] == [3, 15, 0.5, -math.inf]
    assert math.isnan(to_number("0x"))
    assert math.isnan(to_number("1e"))


def test_depth_breaks_nothing() -> None:
    asked = filter_of({"a": {"eq": deep(20_000), "in": [deep(20_000)]}}, ())
    assert evaluate(asked, {"a": deep(20_000)}).verdict == "failed"
    assert compose((asked, asked)) is not None
