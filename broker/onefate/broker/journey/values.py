"""Values that cross a boundary: copied, bounded, redacted, judged for failure, whatever they hold.

Every function here is total. None recurses deeper than a small constant, so depth cannot break it;
lone surrogates, huge integers, cycles and things JSON cannot hold are all met (spec: graph-session
§3.7, §3.8, §11.3; port-settlement §16.3, §16.4, §16.6).
"""

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias, TypeGuard, cast

from onefate.broker.journey.scalars import number_text

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


class Absent(Enum):
    """The type of `ABSENT`: no value at all, which is not the value None (spec: §0.2)."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

REDACTED: Final = "[REDACTED]"
LONGEST_TEXT: Final = 200
LONGEST_LIST: Final = 30
LARGEST_OBJECT: Final = 40
DEEPEST: Final = 4
ELLIPSIS: Final = "…"

_EXACT: Final = 2**53 - 1
_PRINTABLE_BITS: Final = 10_000
_LEFT_OUT: Final = " more left out"


def is_object(value: object) -> TypeGuard[Mapping[object, object]]:
    """True for what JSON calls an object."""
    return isinstance(value, dict | Mapping)


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """True for what JSON calls an array."""
    return isinstance(value, list | tuple)


def _is_container(part: object) -> bool:
    if part is None or isinstance(part, str | int | float):
        return False
    return is_object(part) or is_list(part)


def detached(value: object) -> object:
    """A copy that shares no container with `value`, at any depth.

    Tuples become lists and mappings become dicts; a container that occurs twice, or in itself,
    does so in the copy. Anything that is not a container is shared.
    """
    if not _is_container(value):
        return value
    copies: dict[int, list[object] | dict[object, object]] = {}
    open_copies: list[tuple[object, list[object] | dict[object, object]]] = []

    def copy_of(part: object) -> object:
        if not _is_container(part):
            return part
        if id(part) not in copies:
            copies[id(part)] = {} if is_object(part) else []
            open_copies.append((part, copies[id(part)]))
        return copies[id(part)]

    top = copy_of(value)
    while open_copies:
        source, copy = open_copies.pop()
        if isinstance(copy, list):
            copy.extend(copy_of(part) for part in cast("Sequence[object]", source))
        else:
            members = cast("Mapping[object, object]", source)
            copy.update((key, copy_of(part)) for key, part in members.items())
    return top


def cut(text: str, longest: int = LONGEST_TEXT) -> str:
    """At most `longest` code points, then one ellipsis if anything was left out."""
    return text if len(text) <= longest else text[:longest] + ELLIPSIS


def bounded(value: object) -> Json:
    """`value` as bounded JSON: never larger than the limits, and true about what was left out.

    Bounding is done once: `bounded(bounded(v)) == bounded(v)`. Texts keep 200 code points, lists
    30 items and objects 40 keys, with a marker that counts the rest; containers below the fourth
    level, and numbers that are not finite, are null; integers a double cannot hold are decimal
    text; functions and absent values are dropped (departure 10).
    """
    return _bounded(value, 0)


def _bounded(value: object, depth: int) -> Json:
    if is_object(value):
        return _bounded_object(value, depth) if depth < DEEPEST else None
    if is_list(value):
        return _bounded_list(value, depth) if depth < DEEPEST else None
    return _bounded_scalar(value)


def _bounded_scalar(value: object) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, int):
        return int(value) if -_EXACT <= value <= _EXACT else _integer_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if _is_dropped(value):
        return None
    return cut(f"(a value of type {type(value).__name__}, which JSON cannot hold)")


def _bounded_list(items: Sequence[object], depth: int) -> Json:
    kept: list[Json] = [_bounded(item, depth + 1) for item in items[:LONGEST_LIST]]
    left_out = len(items) - LONGEST_LIST
    if left_out == 1 and _is_marker(items[-1]):
        kept.append(_bounded(items[-1], depth))
    elif left_out > 0:
        kept.append(f"{left_out}{_LEFT_OUT}")
    return kept


def _bounded_object(members: Mapping[object, object], depth: int) -> Json:
    real = [(key, part) for key, part in members.items() if not _is_dropped(part)]
    kept: dict[str, Json] = {
        _key_text(key): _bounded(part, depth + 1) for key, part in real[:LARGEST_OBJECT]
    }
    left_out = len(real) - LARGEST_OBJECT
    if left_out == 1 and real[-1][0] == ELLIPSIS and _is_marker(real[-1][1]):
        kept[ELLIPSIS] = _bounded(real[-1][1], depth)
    elif left_out > 0:
        replaced = int(ELLIPSIS in kept)
        kept[ELLIPSIS] = f"{left_out + replaced}{_LEFT_OUT}"
    return kept


def _is_dropped(part: object) -> bool:
    return part is ABSENT or callable(part)


def _is_marker(part: object) -> bool:
    if not isinstance(part, str) or not part.endswith(_LEFT_OUT):
        return False
    count = part[: -len(_LEFT_OUT)]
    return len(count) <= LONGEST_TEXT - len(_LEFT_OUT) and count.isascii() and count.isdigit()


def _key_text(key: object) -> str:
    return key if isinstance(key, str) else error_text(key)


def _integer_text(value: int) -> str:
    if value.bit_length() > _PRINTABLE_BITS:
        return f"(an integer of {value.bit_length()} bits)"
    return cut(str(value))


def redacted(value: object, paths: Collection[str]) -> object:
    """A copy of `value` in which every place a dot path names reads `[REDACTED]`.

    Lists are descended item by item; an absent key stays absent, null is replaced; a scalar on the
    way is left alone; something on the way that is neither an object, a list nor a scalar is
    replaced whole. Empty segments are ignored, and so is a path of nothing else. The argument is
    never changed.
    """
    routes = [route for path in paths if (route := tuple(s for s in path.split(".") if s))]
    if not routes:
        return detached(value)
    top: list[object] = [detached(value)]
    for route in routes:
        _redact(top, route)
    return top[0]


def _redact(top: list[object], route: tuple[str, ...]) -> None:
    seen: set[tuple[int, int]] = set()
    pending: list[tuple[object, int]] = [(top, 0)]
    while pending:
        place, at = pending.pop()
        if (id(place), at) in seen:
            continue
        seen.add((id(place), at))
        if _is_own_list(place):
            pending += _redact_items(place, at)
        elif _is_own_object(place) and place.get(route[at], ABSENT) is not ABSENT:
            part = place[route[at]]
            if at == len(route) - 1 or _is_opaque(part):
                place[route[at]] = REDACTED
            else:
                pending.append((part, at + 1))


def _redact_items(items: list[object], at: int) -> list[tuple[object, int]]:
    for position, item in enumerate(items):
        if _is_opaque(item):
            items[position] = REDACTED
    return [(item, at) for item in items]


def _is_own_object(part: object) -> TypeGuard[dict[object, object]]:
    return isinstance(part, dict)


def _is_own_list(part: object) -> TypeGuard[list[object]]:
    return isinstance(part, list)


def _is_opaque(part: object) -> bool:
    plain = part is None or part is ABSENT or isinstance(part, str | int | float)
    return not (plain or is_object(part) or is_list(part))


@dataclass(frozen=True, slots=True)
class ReturnedFailure:
    """A handler said by returning that it failed; `reason` is its `error`, or all it returned."""

    reason: object


def returned_failure(value: object) -> ReturnedFailure | None:
    """The failure a handler's return states: an object whose `ok` is exactly false; else None."""
    if not is_object(value) or value.get("ok") is not False:
        return None
    error = value.get("error")
    return ReturnedFailure(value if error is None or error is ABSENT else error)


def error_text(error: object) -> str:
    """What an error says, in at most 200 code points and an ellipsis; never raises.

    A string `explanation` beside a string `reason` speaks for itself, as keys or as attributes. An
    exception reads `Name: message`, anything else its text form.
    """
    try:
        explanation = _explanation(error)
        return cut(text_form(error) if explanation is None else explanation)
    except Exception:  # noqa: BLE001 - the error is a stranger's, and so is whatever its text raises
        return "The error cannot be rendered as text."


def _explanation(error: object) -> str | None:
    if is_object(error):
        reason, explanation = error.get("reason"), error.get("explanation")
    else:
        reason = getattr(error, "reason", None)
        explanation = getattr(error, "explanation", None)
    return explanation if isinstance(reason, str) and isinstance(explanation, str) else None


def text_form(value: object) -> str:
    """The text of a value: scalars as JavaScript prints them, objects and lists as bounded JSON."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, BaseException):
        message = str(value)
        return f"{type(value).__name__}: {message}" if message else type(value).__name__
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_text(value)
    if value is ABSENT:
        return "undefined"
    if value is None or isinstance(value, bool) or is_object(value) or is_list(value):
        return json.dumps(bounded(value), ensure_ascii=False)
    return str(value)


def nests_deeper(value: object, levels: int) -> bool:
    """Say whether lists and objects nest deeper than so many levels, however deep they go."""
    level = [value]
    for _ in range(levels + 1):
        level = [inner for part in level for inner in _parts(part)]
        if not level:
            return False
    return True


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return cast("Mapping[object, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list | tuple) else ()
