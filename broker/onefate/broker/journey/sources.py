"""Tables that pages and journeys are taken from, and how they join what is written by hand.

What is written by hand wins; two sources never declare one id (spec: graph-session §1.9).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from onefate.broker.journey.errors import MapError, Path
from onefate.broker.journey.models import (
    JourneyDefinition,
    JourneysSource,
    MapDefinition,
    PageDefinition,
    RootActionDefinition,
    RouteDefinition,
    RoutesSource,
)
from onefate.broker.journey.names import check_name
from onefate.broker.journey.routes import is_literal, same_shape
from onefate.broker.journey.values import is_list, is_object
from onefate.broker.journey.wire import read

RouteTable: TypeAlias = Mapping[str, str | Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Merged:
    """The effective declarations of a map, its sources included."""

    pages: dict[str, PageDefinition] = field(default_factory=dict[str, PageDefinition])
    actions: dict[str, RootActionDefinition] = field(
        default_factory=dict[str, RootActionDefinition]
    )
    journeys: dict[str, JourneyDefinition] = field(default_factory=dict[str, JourneyDefinition])


def from_routes(
    table: RouteTable, *, cross_links: Literal[True] | Sequence[str] | None = None
) -> RoutesSource:
    """The source of a route table: page id to route, or to `{route, does}`.

    `cross_links=True` links to every page with a literal route, a list to exactly those.

    Raises:
        MapError: BAD_NAME or BAD_SOURCE, with the path inside the table.
    """
    _check_table(table)
    pages = {name: _route(name, entry) for name, entry in table.items()}
    if cross_links is None:
        return RoutesSource(pages=pages)
    if cross_links is True:
        links = [name for name, page in pages.items() if is_literal(page.route or "")]
    elif is_list(cross_links):
        links = [_linkable(name, pages) for name in cross_links]
    else:
        raise MapError("BAD_SOURCE", ("crossLinks",), "links are true, or a list of pages")
    return RoutesSource(pages=pages, cross_links=links)


def _check_table(table: object) -> None:
    if not is_object(table):
        raise MapError("BAD_SOURCE", (), "a source is a table of names")


def _route(name: str, entry: object) -> RouteDefinition:
    check_name(name, (name,))
    if isinstance(entry, str):
        return RouteDefinition(route=entry)
    if not is_object(entry) or not isinstance(entry.get("route"), str):
        raise MapError("BAD_SOURCE", (name,), "a table gives a page its route, as a text")
    for key in entry:
        if key not in {"route", "does"}:
            raise MapError(
                "BAD_SOURCE", (name, str(key)), "a route table holds route and does only"
            )
    return read(RouteDefinition, entry, (name,))


def _linkable(name: object, pages: Mapping[str, RouteDefinition]) -> str:
    page = pages.get(name) if isinstance(name, str) else None
    if not isinstance(name, str) or page is None or not is_literal(page.route or ""):
        problem = "links lead to pages of the table whose route has no :parameter"
        raise MapError("BAD_SOURCE", ("crossLinks", str(name)), problem)
    return name


def from_journeys(table: Mapping[str, object]) -> JourneysSource:
    """The source of a table of journeys; their steps are judged when the map is compiled.

    Raises:
        MapError: BAD_NAME, or the shape of a journey.
    """
    _check_table(table)
    for name, entry in table.items():
        check_name(name, (name,))
        if is_object(entry) and not is_list(entry.get("steps")):
            raise MapError("BAD_SOURCE", (name, "steps"), "a journey lists its steps")
    return JourneysSource(
        journeys={name: read(JourneyDefinition, entry, (name,)) for name, entry in table.items()}
    )


def merged(declared: MapDefinition) -> Merged:
    """The effective pages, root actions and journeys, in the order they are compiled in.

    Raises:
        MapError: BAD_SOURCE, where sources contradict each other or what is written by hand.
    """
    found = Merged()
    sources = declared.sources or []
    for position, source in enumerate(sources):
        _add_source(found, source, ("sources", position))
    for name, page in (declared.pages or {}).items():
        found.pages[name] = _by_hand(page, found.pages.get(name), ("pages", name))
    for position, source in enumerate(sources):
        if isinstance(source, RoutesSource):
            _add_links(found, source, ("sources", position, "crossLinks"))
    found.actions.update(declared.actions or {})
    found.journeys.update(declared.journeys or {})
    return found


def _add_source(found: Merged, source: RoutesSource | JourneysSource, path: Path) -> None:
    if isinstance(source, RoutesSource):
        for name, route in source.pages.items():
            _check_new(name, found.pages, (*path, "pages", name))
            found.pages[name] = PageDefinition(route=route.route, does=route.does)
        return
    for name, journey in source.journeys.items():
        _check_new(name, found.journeys, (*path, "journeys", name))
        found.journeys[name] = journey


def _check_new(name: str, taken: Mapping[str, object], path: Path) -> None:
    check_name(name, path)
    if name in taken:
        raise MapError("BAD_SOURCE", path, "another source declares this id")


def _by_hand(page: PageDefinition, sourced: PageDefinition | None, path: Path) -> PageDefinition:
    if sourced is None or sourced.route is None:
        return page
    if page.route is None:
        return page.model_copy(update={"route": sourced.route})
    if not same_shape(page.route, sourced.route):
        raise MapError("BAD_SOURCE", (*path, "route"), "a source gives this page another route")
    return page


def _add_links(found: Merged, source: RoutesSource, path: Path) -> None:
    for position, name in enumerate(source.cross_links or []):
        route = found.pages[name].route if name in source.pages else None
        if route is None or not is_literal(route):
            problem = "links lead to pages of this source whose route has no :parameter"
            raise MapError("BAD_SOURCE", (*path, position), problem)
        others = [page for page in found.pages if page != name]
        if others:
            found.actions[f"go-to-{name}"] = RootActionDefinition(
                does=f"Go to {found.pages[name].does or name}",
                on=others,
                go_to=name,
                binding={"kind": "url", "href": route},
            )
