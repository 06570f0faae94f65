"""The one evaluator of conditions: total, honest about what it does not know, and its own witness.

A key the state has never held makes its clauses neither true nor false: it is named as unevaluable
and taken out; one evaluated false test still fails the whole filter. Null is a value, absence is
not (spec: graph-session §2.3-§2.6).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypedDict, assert_never

from onefate.broker.journey.filters import Filter
from onefate.broker.journey.scalars import is_member, number_text, order, same
from onefate.broker.journey.values import ABSENT, REDACTED, detached, is_list, is_object
from onefate.broker.journey.words import Operator, Verdict

LONGEST_SUMMARY = 80
_SHOWN_KEYS = 4


class FilterCondition(TypedDict):
    """One test as evidence: what was asked, of what, and how it came out (spec: §2.4)."""

    key: str
    op: Operator
    threshold: object
    actualSummary: str
    result: bool
    redacted: bool


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a filter says of a state: whether it matched, by which tests, and what was unknown."""

    matched: bool
    conditions: tuple[FilterCondition, ...] = ()
    unevaluable: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """`failed` on one false test; else `unevaluable` if a key was unknown; else `held`."""
        if not self.matched:
            return "failed"
        return "unevaluable" if self.unevaluable else "held"

    @property
    def failing(self) -> tuple[FilterCondition, ...]:
        """The tests that came out false."""
        return tuple(c for c in self.conditions if not c["result"])


def evaluate(
    asked: Filter | None, state: Mapping[str, object], redacted_keys: Collection[str] = ()
) -> Evaluation:
    """The filter judged on a state; no filter matches, and so does one whose every key is unknown.

    Comparison always uses the real value; a key in `redacted_keys` only shows as `[REDACTED]`. The
    evidence is the caller's own. Never raises.
    """
    if asked is None:
        return Evaluation(matched=True)
    conditions: list[FilterCondition] = []
    unknown: list[str] = []
    for clause in asked.clauses:
        actual = state.get(clause.key, ABSENT)
        if actual is ABSENT:
            unknown.append(clause.key)
            continue
        hidden = clause.key in redacted_keys
        shown = REDACTED if hidden else summary(actual)
        for operator, threshold in clause.tests:
            conditions.append(
                FilterCondition(
                    key=clause.key,
                    op=operator,
                    threshold=detached(threshold),
                    actualSummary=shown,
                    result=holds(operator, actual, threshold),
                    redacted=hidden,
                )
            )
    return Evaluation(all(c["result"] for c in conditions), tuple(conditions), tuple(unknown))


def matches(asked: Filter | None, state: Mapping[str, object]) -> bool:
    """`evaluate(asked, state).matched`, without the evidence."""
    if asked is None:
        return True
    return all(
        holds(operator, state[clause.key], threshold)
        for clause in asked.clauses
        if state.get(clause.key, ABSENT) is not ABSENT
        for operator, threshold in clause.tests
    )


def holds(operator: Operator, actual: object, threshold: object) -> bool:
    """One test: equality is strict, ordering coerces, and what does not compare is false."""
    match operator:
        case "eq":
            return same(actual, threshold)
        case "ne":
            return not same(actual, threshold)
        case "in" | "notIn":
            found = is_list(threshold) and is_member(actual, threshold)
            return found is (operator == "in")
        case "gt" | "gte" | "lt" | "lte":
            return order(actual, threshold) in _ACCEPTED[operator]
        case _:
            assert_never(operator)


_ACCEPTED: dict[Operator, tuple[int, ...]] = {
    "gt": (1,),
    "gte": (0, 1),
    "lt": (-1,),
    "lte": (-1, 0),
}


def summary(actual: object) -> str:
    """A value in about eighty characters, so that evidence never carries a payload."""
    if actual is None or isinstance(actual, bool):
        return {None: "null", True: "true", False: "false"}[actual]
    if isinstance(actual, str):
        return f'"{_shortened(actual)}"'
    if isinstance(actual, int | float):
        return number_text(actual)
    if is_list(actual):
        items = "item" if len(actual) == 1 else "items"
        return f"({len(actual)} {items})" if actual else "[]"
    if is_object(actual):
        return _object_summary([str(key) for key in actual])
    return "undefined" if actual is ABSENT else f"({type(actual).__name__})"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SUMMARY else text[: LONGEST_SUMMARY - 3] + "..."


def _object_summary(keys: list[str]) -> str:
    shown = ", ".join(keys[:_SHOWN_KEYS])
    more = f", ... ({len(keys)} keys)" if len(keys) > _SHOWN_KEYS else ""
    text = f"{{{shown}{more}}}"
    return text if len(text) <= LONGEST_SUMMARY else f"{{{len(keys)} keys}}"
