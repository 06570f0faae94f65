"""Conditions as they are declared: checked once, frozen, and composed along the tree.

`filter_of` turns the wire form `{key: {operator: threshold}}` into a `Filter` or says what is wrong
with it; `compose` ANDs the layers from the root to a leaf (spec: graph-session §2.1, §2.2, §2.5).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from onefate.broker.journey.canonical import canonical_digest
from onefate.broker.journey.errors import MapError, Path, Rule
from onefate.broker.journey.values import detached, is_list, is_object
from onefate.broker.journey.words import LONGEST_MEMBERSHIP_LIST, OPERATORS, Operator

FilterDefinition: TypeAlias = Mapping[str, Mapping[str, object]]

DENIED_KEYS: Final = frozenset(
    {
        "__proto__",
        "constructor",
        "prototype",
        "toString",
        "valueOf",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
    }
)
_MEMBERSHIP: Final = frozenset({"in", "notIn"})


@dataclass(frozen=True, slots=True)
class Clause:
    """All a filter asks of one state key, in declared order."""

    key: str
    tests: tuple[tuple[Operator, object], ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on the projected state: every test of every clause must hold.

    Never empty. Thresholds are shared: `detached` copies one.
    """

    clauses: tuple[Clause, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The state keys it reads, in declared order."""
        return tuple(clause.key for clause in self.clauses)

    def wire(self) -> dict[str, dict[str, object]]:
        """The declared form, as a detached copy."""
        return {c.key: {op: detached(value) for op, value in c.tests} for c in self.clauses}


def filter_of(declared: object, path: Path) -> Filter:
    """The checked form of a declared filter.

    Raises:
        MapError: EMPTY_FILTER or BAD_FILTER, with the path to the key or operator at fault.
    """
    if not is_object(declared):
        raise _bad(path, "a condition is an object of state keys: {key: {operator: value}}")
    if not declared:
        raise MapError("EMPTY_FILTER", path, "an empty condition never holds; leave it out")
    return Filter(tuple(_clause(key, tests, path) for key, tests in declared.items()))


def _clause(key: object, tests: object, path: Path) -> Clause:
    if not isinstance(key, str):
        raise _bad(path, "a state key is a text")
    here = (*path, key)
    if key in DENIED_KEYS:
        raise _bad(here, "this name cannot be a state key")
    if not is_object(tests) or not tests:
        raise _bad(here, "a state key carries at least one operator: {eq: value}")
    return Clause(key, tuple(_test(name, value, here) for name, value in tests.items()))


def _test(name: object, threshold: object, path: Path) -> tuple[Operator, object]:
    if not isinstance(name, str) or name not in OPERATORS:
        raise _bad(path, f"an operator is one of {', '.join(OPERATORS)}")
    if name in _MEMBERSHIP:
        _check_members(threshold, (*path, name))
    return name, detached(threshold)


def _check_members(threshold: object, path: Path) -> None:
    if not is_list(threshold):
        raise _bad(path, "membership is tested against a list")
    if len(threshold) > LONGEST_MEMBERSHIP_LIST:
        raise _bad(path, f"a membership list has at most {LONGEST_MEMBERSHIP_LIST} items")


def _bad(path: Path, problem: str, rule: Rule = "BAD_FILTER") -> MapError:
    return MapError(rule, path, problem)


def compose(layers: Iterable[Filter | None], path: Path = ()) -> Filter | None:
    """The AND of the layers, root first: keys and operators in order of first appearance.

    None where no layer declares anything.

    Raises:
        MapError: CONFLICTING_CONDITIONS, where two layers give one operator of one key two values.
    """
    merged: dict[str, dict[Operator, object]] = {}
    for layer in layers:
        for clause in () if layer is None else layer.clauses:
            _merge(merged.setdefault(clause.key, {}), clause, path)
    if not merged:
        return None
    return Filter(tuple(Clause(key, tuple(tests.items())) for key, tests in merged.items()))


def _merge(tests: dict[Operator, object], clause: Clause, path: Path) -> None:
    for operator, threshold in clause.tests:
        if operator not in tests:
            tests[operator] = threshold
        elif canonical_digest(tests[operator]) != canonical_digest(threshold):
            problem = "an ancestor already compares this key with another value"
            raise _bad((*path, clause.key, operator), problem, "CONFLICTING_CONDITIONS")
