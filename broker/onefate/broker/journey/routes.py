"""Addresses and ways: which page a path is, which address an action has, how to get somewhere.

Spec: graph-session §1.8, §7.4, §13.3.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from onefate.broker.journey.errors import UnknownPageError
from onefate.broker.journey.graph import Action, JourneyMap

_TAIL: Final = re.compile(r"[?#]")


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a way: perform `action`, arrive at `to`."""

    action: str
    to: str


def segments(route: str) -> tuple[str, ...]:
    """The non-empty parts of a path, without query and fragment."""
    return tuple(part for part in _TAIL.split(route, maxsplit=1)[0].split("/") if part)


def is_literal(route: str) -> bool:
    """True if no part of the path is a parameter."""
    return not any(part.startswith(":") for part in segments(route))


def same_shape(one: str, other: str) -> bool:
    """True if two routes match the same paths, whatever their parameters are called."""
    return _shape(one) == _shape(other)


def _shape(route: str) -> list[str]:
    return [":" if part.startswith(":") else part for part in segments(route)]


def match_route(routes: Mapping[str, str], url_path: str) -> str | None:
    """The page whose route fits best: most literal parts, then the longer route, then the first."""
    asked = segments(url_path)
    best: tuple[int, int] = (-1, -1)
    found: str | None = None
    for page, route in routes.items():
        parts = segments(route)
        if len(parts) != len(asked) or not all(map(_fits, parts, asked)):
            continue
        rank = (sum(not part.startswith(":") for part in parts), len(route))
        if rank > best:
            best, found = rank, page
    return found


def _fits(part: str, asked: str) -> bool:
    return part.startswith(":") or part == asked


def literal_address(action: Action, routes: Mapping[str, str]) -> str | None:
    """The address that performs the action by itself; None where no literal one is declared.

    Either its own `url` binding, or, with no binding at all, the literal route of the page it goes
    to.
    """
    if action.binding is not None:
        href = action.binding.get("href")
        bound = action.binding.get("kind") == "url" and isinstance(href, str)
        return href if bound and isinstance(href, str) and is_literal(href) else None
    route = None if action.goes_to is None else routes.get(action.goes_to)
    return route if route is not None and is_literal(route) else None


def how_to_reach(
    graph: JourneyMap, start: str, goal: str, mounted: Iterable[Action] = ()
) -> tuple[Hop, ...] | None:
    """The shortest way over declared navigation from `start` to `goal`; guards are not asked.

    Empty if already there, None if there is none; ties go to the first declared. `mounted` are
    actions declared at mount time, which come after the map's own.

    Raises:
        UnknownPageError: the map has no page `goal`.
    """
    if goal not in graph.pages:
        raise UnknownPageError(goal, tuple(graph.pages))
    hops = _hops((*graph.actions.values(), *mounted))
    ways: dict[str, tuple[Hop, ...]] = {start: ()}
    frontier = deque([start])
    while frontier and goal not in ways:
        here = frontier.popleft()
        for hop in hops.get(here, ()):
            if hop.to not in ways:
                ways[hop.to] = (*ways[here], hop)
                frontier.append(hop.to)
    return ways.get(goal)


def _hops(actions: Iterable[Action]) -> dict[str, list[Hop]]:
    found: dict[str, list[Hop]] = {}
    for action in actions:
        if action.goes_to is not None:
            for page in action.on:
                found.setdefault(page, []).append(Hop(action.id, action.goes_to))
    return found
