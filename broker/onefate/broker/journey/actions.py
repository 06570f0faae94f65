"""One action compiled: its own declaration judged, its guard composed with the tree above it.

The same rules for an action of the map and one declared at mount time (spec: graph-session §1.4,
§1.5, §1.7).
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeGuard, cast

from onefate.broker.journey.contracts import contract_of
from onefate.broker.journey.errors import MapError, Path
from onefate.broker.journey.filters import Filter, compose, filter_of
from onefate.broker.journey.graph import (
    Action,
    Blocked,
    Concurrency,
    Freshness,
    HumanDecides,
    JourneyMap,
    Node,
    PrincipalPolicy,
    StateReader,
)
from onefate.broker.journey.models import ActionDefinition, BlockedDefinition
from onefate.broker.journey.names import check_action_id, check_name
from onefate.broker.journey.nearest import nearest
from onefate.broker.journey.routes import is_literal
from onefate.broker.journey.values import ABSENT, Json, detached, is_object
from onefate.broker.journey.wire import read
from onefate.broker.journey.words import DescriptionSource


@dataclass(frozen=True, slots=True)
class Place:
    """Where an action is declared: its id, the pages it is on, the node and scope around it."""

    id: str
    name: str
    on: tuple[str, ...]
    node: str | None = None
    scope: Filter | None = None
    source: DescriptionSource = "declared"


def declare_action(
    graph: JourneyMap, node: str, name: str, definition: Mapping[str, object] | ActionDefinition
) -> Action:
    """An action declared at mount time on a node of the map; the map itself stays as it is.

    Raises:
        MapError: the definition breaks a rule of the map, or the node is not one of its nodes.
    """
    path: Path = ("actions", name)
    parent = graph.nodes.get(node)
    if parent is None:
        raise MapError("MISPLACED", path, f"the map has no node {node!r}")
    check_name(name, path)
    if f"{node}.{name}" in graph.nodes:
        raise MapError("NAME_TAKEN", path, "a container of this node has this name")
    place = placed(parent, name, "registration")
    return compile_action(place, read(ActionDefinition, definition, path), graph.pages, path)


def placed(node: Node, name: str, source: DescriptionSource = "declared") -> Place:
    """The place of an action on a node."""
    return Place(f"{node.path}.{name}", name, (node.page,), node.path, node.scope, source)


def compile_action(
    place: Place, declared: ActionDefinition, pages: Collection[str], path: Path
) -> Action:
    """The action, complete.

    Raises:
        MapError: what is declared breaks a rule, with the path to it.
    """
    check_action_id(place.id, path)
    if declared.go_to is not None and declared.go_to not in pages:
        problem = f"the map has no page {declared.go_to!r}{nearest(declared.go_to, pages)}"
        raise MapError("UNKNOWN_PAGE", (*path, "goTo"), problem)
    own = optional_filter(declared.when, (*path, "when"))
    verify = _verify(declared.verify, (*path, "verify"))
    _check_observability(declared, path)
    return Action(
        id=place.id,
        name=place.name,
        description=declared.does,
        on=place.on,
        node=place.node,
        guard=compose((place.scope, own), (*path, "when")),
        enabled_when=optional_filter(declared.enabled_when, (*path, "enabledWhen")),
        verify=verify,
        blocked_because=_blocked(declared.blocked_because, (*path, "blockedBecause")),
        reads=None if declared.reads is None else tuple(declared.reads),
        writes=None if declared.writes is None else tuple(declared.writes),
        goes_to=declared.go_to,
        high_effect=declared.confirm is True,
        role=declared.role or ("next" if declared.go_to is not None else "action"),
        input=contract_of(_or_absent(declared.input), (*path, "input")),
        human_decides=_human_decides(declared, (*path, "humanDecides")),
        principal_policy=_principal_policy(declared),
        observability=declared.observability,
        freshness=_freshness(declared, (*path, "freshness")),
        concurrency=_concurrency(declared, (*path, "concurrency")),
        binding=_binding(declared.binding, (*path, "binding")),
        description_source=place.source,
        verify_covers_writes=_covers(verify, declared.writes),
    )


def optional_filter(declared: object, path: Path) -> Filter | None:
    """The filter, if one is declared."""
    return None if declared is None else filter_of(declared, path)


def is_reader(declared: object) -> TypeGuard[StateReader]:
    """True for a function of the state."""
    return callable(declared)


def _or_absent(declared: object) -> object:
    return ABSENT if declared is None else declared


def _verify(declared: object, path: Path) -> Filter | StateReader | None:
    return declared if is_reader(declared) else optional_filter(declared, path)


def _covers(verify: Filter | Callable[..., object] | None, writes: list[str] | None) -> bool:
    return isinstance(verify, Filter) and bool(writes) and set(writes or ()) <= set(verify.keys)


def _blocked(declared: object, path: Path) -> Blocked | StateReader | None:
    if declared is None or is_reader(declared):
        return declared
    given = read(BlockedDefinition, declared, path)
    return Blocked(given.says, given.cleared_by)


def _human_decides(declared: ActionDefinition, path: Path) -> HumanDecides | None:
    given = declared.human_decides
    if given is None:
        return None
    return HumanDecides(given.about, optional_filter(given.done_when, (*path, "doneWhen")))


def _principal_policy(declared: ActionDefinition) -> PrincipalPolicy | None:
    given = declared.principal_policy
    if given is None:
        return None
    invokers = None if given.may_invoke is None else tuple(given.may_invoke)
    return PrincipalPolicy(invokers, given.decision_owner, given.requires_human_approval)


def _freshness(declared: ActionDefinition, path: Path) -> Freshness | None:
    given = declared.freshness
    if given is None:
        return None
    answers = (
        given.guard_changes,
        given.read_changes,
        given.write_changes,
        given.position_changes,
    )
    if not any(answers):
        raise MapError("WRONG_SHAPE", path, "at least one kind of change is answered here")
    return Freshness(*answers)


def _concurrency(declared: ActionDefinition, path: Path) -> Concurrency:
    given = declared.concurrency
    if given is None:
        return Concurrency()
    if given.mode == "parallel" and given.scope is not None:
        problem = "parallel repeats are not held apart, so no scope is read"
        raise MapError("INCONSISTENT", (*path, "scope"), problem)
    return Concurrency(given.mode, given.scope or "action")


def _check_observability(declared: ActionDefinition, path: Path) -> None:
    needed = {"postcondition": ("verify", declared.verify), "navigation": ("goTo", declared.go_to)}
    key, given = needed.get(declared.observability or "", ("", ""))
    if given is None:
        problem = f"{declared.observability} is told by {key}, which is not declared"
        raise MapError("INCONSISTENT", (*path, "observability"), problem)


def _binding(declared: object, path: Path) -> Mapping[str, Json] | None:
    if declared is None:
        return None
    if not is_object(declared):
        raise MapError("WRONG_SHAPE", path, "a binding is an object with a kind")
    href = declared.get("href")
    if declared.get("kind") == "url" and not (isinstance(href, str) and is_literal(href)):
        problem = "an address is a text without :parameters"
        raise MapError("WRONG_SHAPE", (*path, "href"), problem)
    return cast("Mapping[str, Json]", detached(declared))
