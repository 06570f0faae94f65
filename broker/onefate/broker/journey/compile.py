"""A declared map compiled: validated whole, walked once, frozen.

Pages in declaration order, depth first; inside a node its containers (areas, tabs, modals), then
its own actions; root actions last (spec: graph-session §1.4). The first broken rule is raised as
one `MapError` with its path (§1.5; departure 20).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, TypeVar

from onefate.broker.journey.actions import (
    Place,
    compile_action,
    is_reader,
    optional_filter,
    placed,
)
from onefate.broker.journey.errors import MapError, Path
from onefate.broker.journey.filters import Filter, compose
from onefate.broker.journey.fingerprint import fingerprint
from onefate.broker.journey.graph import Action, Journey, JourneyMap, Node
from onefate.broker.journey.models import (
    ContainerDefinition,
    JourneyDefinition,
    MapDefinition,
    ModalDefinition,
    PageDefinition,
    RootActionDefinition,
    StepDefinition,
)
from onefate.broker.journey.names import check_name, matching_ids
from onefate.broker.journey.nearest import nearest
from onefate.broker.journey.scalars import is_blank
from onefate.broker.journey.sources import Merged, merged
from onefate.broker.journey.values import is_list
from onefate.broker.journey.wire import read
from onefate.broker.journey.words import NodeKind

_DEEPEST_NODE: Final = 100
_Value = TypeVar("_Value")


def compile_map(map_id: str, definition: Mapping[str, object] | MapDefinition) -> JourneyMap:
    """The frozen map of a definition, in models or in wire form.

    Raises:
        MapError: the first rule the definition breaks, with the path to the fault.
    """
    if is_blank(map_id):
        raise MapError("BLANK_ID", ("id",), "a map is known by an id that is not blank")
    declared = read(MapDefinition, definition)
    parts = merged(declared)
    if not parts.pages:
        raise MapError("NO_PAGES", ("pages",), "a map has at least one page")
    walk = _Walk(parts)
    walk.run()
    content = {
        "id": map_id,
        "description": declared.does,
        "nodes": walk.nodes,
        "actions": walk.actions,
        "journeys": walk.journeys,
    }
    pages = {path: node for path, node in walk.nodes.items() if node.kind == "page"}
    return JourneyMap(
        id=map_id,
        description=declared.does,
        pages=_frozen(pages),
        nodes=_frozen(walk.nodes),
        actions=_frozen(walk.actions),
        action_nodes=_frozen(
            {a.id: a.on if a.node is None else (a.node,) for a in walk.actions.values()}
        ),
        journeys=_frozen(walk.journeys),
        routes=_frozen({path: n.route for path, n in pages.items() if n.route is not None}),
        state_keys=tuple(sorted(set(_state_keys(walk)))),
        fingerprint=fingerprint(content),
    )


def _frozen(values: Mapping[str, _Value]) -> Mapping[str, _Value]:
    return MappingProxyType(dict(values))


class _Walk:
    """The one pass over the effective declarations; its results stand in compile order."""

    def __init__(self, parts: Merged) -> None:
        self.parts = parts
        self.nodes: dict[str, Node] = {}
        self.actions: dict[str, Action] = {}
        self.journeys: dict[str, Journey] = {}

    def run(self) -> None:
        for name, page in self.parts.pages.items():
            self._add_node("page", name, page, None, ("pages", name))
        for name, action in self.parts.actions.items():
            self._add_root_action(name, action, ("actions", name))
        for name, journey in self.parts.journeys.items():
            self.journeys[name] = self._journey(name, journey, ("journeys", name))

    def _add_node(
        self,
        kind: NodeKind,
        name: str,
        declared: ContainerDefinition,
        parent: Node | None,
        path: Path,
    ) -> None:
        node = _node(kind, name, declared, parent, path)
        self.nodes[node.path] = node
        children = list(_children(declared, path))
        _check_distinct(children, declared, path)
        for child_kind, child_name, child, child_path in children:
            self._add_node(child_kind, child_name, child, node, child_path)
        own = declared.actions or {}
        for action_name, action in own.items():
            here = (*path, "actions", action_name)
            check_name(action_name, here)
            place = placed(node, action_name)
            self.actions[place.id] = compile_action(place, action, self.parts.pages, here)
        self.nodes[node.path] = replace(
            node,
            children=tuple(f"{node.path}.{child}" for _, child, _, _ in children),
            actions=tuple(f"{node.path}.{action}" for action in own),
        )

    def _add_root_action(self, name: str, declared: RootActionDefinition, path: Path) -> None:
        check_name(name, path)
        if name in self.actions or name in self.nodes:
            raise MapError("NAME_TAKEN", path, "a page of the map has this name")
        place = Place(name, name, self._pages_of(declared.on, (*path, "on")))
        self.actions[name] = compile_action(place, declared, self.parts.pages, path)

    def _pages_of(self, on: str | Sequence[str], path: Path) -> tuple[str, ...]:
        pages: Sequence[object] = (on,) if isinstance(on, str) else on if is_list(on) else ()
        if not pages:
            raise MapError("MISPLACED", path, "a page or a list of pages it is offered on")
        return tuple(self._page_of(page, path) for page in pages)

    def _page_of(self, page: object, path: Path) -> str:
        if isinstance(page, str) and page in self.parts.pages:
            return page
        problem = "a page is named by a text"
        if isinstance(page, str):
            problem = f"the map has no page {page!r}{nearest(page, self.parts.pages)}"
        raise MapError("UNKNOWN_PAGE", path, problem)

    def _journey(self, name: str, declared: JourneyDefinition, path: Path) -> Journey:
        check_name(name, path)
        steps: object = declared.steps
        if not is_list(steps) or not steps:
            raise MapError("WRONG_SHAPE", (*path, "steps"), "a journey has at least one step")
        return Journey(
            id=name,
            description=declared.does,
            steps=tuple(self._step(s, (*path, "steps", at)) for at, s in enumerate(steps)),
            precondition=optional_filter(declared.when, (*path, "when")),
        )

    def _step(self, declared: object, path: Path) -> str:
        if not isinstance(declared, str):
            declared = read(StepDefinition, declared, path).step
        match matching_ids(self.actions, declared):
            case (action,):
                return action
            case ():
                known = [*self.actions, *(action.name for action in self.actions.values())]
                problem = f"the map has no action {declared!r}{nearest(declared, known)}"
                raise MapError("UNKNOWN_STEP", path, problem)
            case several:
                problem = f"{declared!r} can mean {', '.join(several)}"
                raise MapError("AMBIGUOUS_STEP", path, problem)


def _node(
    kind: NodeKind, name: str, declared: ContainerDefinition, parent: Node | None, path: Path
) -> Node:
    check_name(name, path)
    if len(path) > 2 * _DEEPEST_NODE:
        raise MapError("MISPLACED", path, "the map is nested too deeply")
    _check_repeats(kind, declared, path)
    guard = optional_filter(declared.when, (*path, "when"))
    scope: Filter | None = None if parent is None else parent.scope
    return Node(
        path=name if parent is None else f"{parent.path}.{name}",
        id=name,
        kind=kind,
        page=name if parent is None else parent.page,
        parent=None if parent is None else parent.path,
        overlay=isinstance(declared, ModalDefinition) and declared.blocks is not False,
        repeats=declared.repeats is True,
        guard=guard,
        scope=compose((scope, guard), (*path, "when")),
        description=declared.does,
        route=declared.route if isinstance(declared, PageDefinition) else None,
        instances=declared.instances,
    )


def _check_repeats(kind: NodeKind, declared: ContainerDefinition, path: Path) -> None:
    if kind == "page" and declared.repeats:
        raise MapError("MISPLACED", (*path, "repeats"), "a page does not repeat")
    if declared.instances is None:
        return
    if not declared.repeats:
        raise MapError(
            "MISPLACED", (*path, "instances"), "instances need repeats: true beside them"
        )
    if not is_reader(declared.instances):
        raise MapError("WRONG_SHAPE", (*path, "instances"), "instances are read by a function")


def _children(
    declared: ContainerDefinition, path: Path
) -> Iterator[tuple[NodeKind, str, ContainerDefinition, Path]]:
    for name, area in (declared.areas or {}).items():
        yield "area", name, area, (*path, "areas", name)
    for name, tab in (declared.tabs or {}).items():
        yield "tab", name, tab, (*path, "tabs", name)
    for name, modal in (declared.modals or {}).items():
        yield "modal", name, modal, (*path, "modals", name)


def _check_distinct(
    children: list[tuple[NodeKind, str, ContainerDefinition, Path]],
    declared: ContainerDefinition,
    path: Path,
) -> None:
    taken: set[str] = set()
    for _, name, _, child_path in children:
        if name in taken:
            raise MapError("NAME_TAKEN", child_path, "another part of this node has this name")
        taken.add(name)
    for name in declared.actions or {}:
        if name in taken:
            problem = "a part of this node has this name"
            raise MapError("NAME_TAKEN", (*path, "actions", name), problem)


def _state_keys(walk: _Walk) -> Iterator[str]:
    for action in walk.actions.values():
        yield from action.guard_keys
        if action.human_decides is not None and action.human_decides.done_when is not None:
            yield from action.human_decides.done_when.keys
    for guard in (node.guard for node in walk.nodes.values()):
        yield from () if guard is None else guard.keys
    for precondition in (journey.precondition for journey in walk.journeys.values()):
        yield from () if precondition is None else precondition.keys
