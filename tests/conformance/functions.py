"""Scenario placeholders turned into what a Python author writes: callables, validators, sources."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from onefate.broker.journey import ABSENT, JourneysSource, RoutesSource, from_journeys, from_routes
from onefate.broker.journey.values import is_object

FUNCTION: Final = "$fn"
SOURCE: Final = "$source"


class Error(Exception):
    """What a described function throws."""


def definition_from(described: Mapping[str, object]) -> dict[str, object]:
    """A scenario's map `def` as the definition our compiler takes.

    A malformed `$source` raises the MapError its table deserves, as building the map would.
    """
    return cast("dict[str, object]", filled(described))


def filled(described: object) -> object:
    """A scenario value (a map, session options, `holds`) with every placeholder replaced."""
    if isinstance(described, Mapping):
        members = cast("Mapping[str, object]", described)
        if FUNCTION in members:
            return function_from(members)
        if SOURCE in members:
            return source_from(members)
        return {key: filled(part) for key, part in members.items()}
    if isinstance(described, list):
        return [filled(part) for part in cast("list[object]", described)]
    return described


def function_from(described: Mapping[str, object]) -> Callable[..., object]:
    """The function a `$fn` describes; whatever it is called with, it does as described."""
    kind, value = described[FUNCTION], described.get("value", ABSENT)

    def throw(*_: object) -> object:
        raise Error(described.get("message", ""))

    def from_state(state: object, *_: object) -> object:
        if state is None:
            raise Error("a key of nothing is asked for")
        return state.get(described.get("key"), ABSENT) if is_object(state) else ABSENT

    kinds: dict[object, Callable[..., object]] = {
        "return": lambda *_: value,
        "throw": throw,
        "state": from_state,
    }
    return kinds[kind]


def source_from(described: Mapping[str, object]) -> RoutesSource | JourneysSource:
    """The source a `$source` describes.

    Raises:
        MapError: its table is malformed.
    """
    table = cast("Mapping[str, object]", described["table"])
    if described[SOURCE] == "journeys":
        return from_journeys(table)
    options = cast("Mapping[str, object]", described.get("options") or {})
    links = options.get("crossLinks")
    names = None if links is None else cast("Sequence[str]", links)
    routes = cast("Mapping[str, str | Mapping[str, str]]", table)
    return from_routes(routes, cross_links=True if links is True else names)
