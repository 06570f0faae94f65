"""Holds an answer against the recorded one: exact, but for prose, times and class names."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.conformance.scenario import Json

TEXT = "<text>"
UNDEFINED: dict[str, Json] = {"undefined": True}
IGNORED = frozenset(
    {
        "at", "firedAt", "startedAt", "recordedAt", "askedAt", "decidedAt", "servedAt", "ts",
        "time", "answeredAt", "openedAt", "closedAt", "runtimeStageId",
    }
)  # fmt: skip
UNCOMPARABLE = "<crashed>"


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where an answer is not the recorded one."""

    path: str
    expected: object
    got: object


class _Absent:
    def __repr__(self) -> str:
        return "(absent)"


ABSENT = _Absent()


def differences(expected: Json, got: Json, path: str = "") -> Iterator[Difference]:
    """Every place where `got` is not what was recorded, outermost first."""
    if expected == UNDEFINED and got is None:
        return
    if expected == TEXT:
        if not (isinstance(got, str) and got):
            yield Difference(path, expected, got)
    elif isinstance(expected, dict) and isinstance(got, dict):
        yield from _objects(expected, got, path)
    elif isinstance(expected, list) and isinstance(got, list):
        yield from _lists(expected, got, path)
    elif not _same(expected, got):
        yield Difference(path, expected, got)


def _objects(expected: dict[str, Json], got: dict[str, Json], path: str) -> Iterator[Difference]:
    if set(expected) == {"raises"} and set(got) == {"raises"}:
        return
    ignored = IGNORED | {"evidence"} if got.get("judgment") == "still-pending" else IGNORED
    for key in sorted((expected.keys() | got.keys()) - ignored):
        where = f"{path}.{key}" if path else key
        if key not in expected:
            yield Difference(where, ABSENT, got[key])
        elif key not in got:
            yield Difference(where, expected[key], ABSENT)
        else:
            yield from differences(expected[key], got[key], where)


def _lists(expected: list[Json], got: list[Json], path: str) -> Iterator[Difference]:
    for index in range(max(len(expected), len(got))):
        where = f"{path}[{index}]"
        if index >= len(expected):
            yield Difference(where, ABSENT, got[index])
        elif index >= len(got):
            yield Difference(where, expected[index], ABSENT)
        else:
            yield from differences(expected[index], got[index], where)


def _same(expected: Json, got: Json) -> bool:
    """Scalars: a boolean is never a number, one and one point nought are one number."""
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    return expected == got
