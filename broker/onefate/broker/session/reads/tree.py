"""Where a node of the tree stands now: shown, assumed or hidden, and which instances it has.

The same answer gates a fire and composes the rows that are served, so a row that is served can be
fired and one that is hidden is refused by name (spec: graph-session §6.3, §6.4).
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

from onefate.broker.journey import Node
from onefate.broker.journey.values import detached, is_list, is_object, text_form
from onefate.broker.session.draft import Draft

Activation: TypeAlias = Literal["synced", "shown", "registered", "assumed"]
Enumeration: TypeAlias = Literal["selector", "mounted-window"]

LONGEST_INSTANCE: Final = 120
SHOWN_INSTANCES: Final = 50


@dataclass(frozen=True, slots=True)
class Served:
    """The node is not known to be hidden; `doubtful` where another tab may be the shown one."""

    activation: Activation
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Hidden:
    """The node cannot be acted on; `node` is the overlay or the level that hides it."""

    reason: Literal["BLOCKED_BY_OVERLAY", "NODE_NOT_VISIBLE"]
    node: str


NodeGate: TypeAlias = Served | Hidden


@dataclass(frozen=True, slots=True)
class Existence:
    """Every instance a repeated node has, and how that is known."""

    keys: tuple[str, ...]
    enumeration: Enumeration

    @property
    def shown(self) -> list[str]:
        """The instances that an answer lists; membership is judged on `keys`."""
        return list(self.keys[:SHOWN_INSTANCES])

    @property
    def total(self) -> int:
        """How many instances there are."""
        return len(self.keys)


class Tree:
    """The tree of the page that the draft stands on, as it was when this was made."""

    def __init__(self, draft: Draft) -> None:
        self._map = draft.map
        self._nodes = draft.nodes
        self._page = draft.position["node"]
        self._gates: dict[str, NodeGate] = {}

    def gate(self, path: str) -> NodeGate:
        """Give what a fire on `path` meets first: an overlay, a hidden level, or nothing."""
        if path not in self._gates:
            overlay = self._masked_by(path)
            masked = None if overlay is None else Hidden("BLOCKED_BY_OVERLAY", overlay)
            self._gates[path] = masked or self._walk(path)
        return self._gates[path]

    @cached_property
    def overlays(self) -> tuple[str, ...]:
        """The overlays shown on this page, in declaration order."""
        return tuple(
            node.path
            for node in self._map.nodes.values()
            if node.overlay and node.page == self._page and self._is_open(node)
        )

    def _is_open(self, node: Node) -> bool:
        signal = self._signal(node)
        raised = self._is_present(node) if signal is None else signal
        return raised and (node.parent is None or isinstance(self._walk(node.parent), Served))

    def _masked_by(self, path: str) -> str | None:
        if not self.overlays:
            return None
        lineage = {node.path for node in self._map.lineage(path)}
        return None if lineage.intersection(self.overlays) else self.overlays[0]

    def _walk(self, path: str) -> NodeGate:
        activation: Activation = "synced"
        doubtful = False
        for node in self._map.lineage(path):
            level = self._level(node)
            if isinstance(level, Hidden):
                return level
            activation = level.activation
            doubtful = doubtful or level.doubtful
        return Served(activation, doubtful)

    def _level(self, node: Node) -> NodeGate:
        signal = self._signal(node)
        if signal is False:
            return Hidden("NODE_NOT_VISIBLE", node.path)
        if node.kind == "page":
            return Served("synced")
        if signal:
            return Served("shown")
        return self._tab(node) if node.kind == "tab" else self._unsignalled(node)

    def _unsignalled(self, node: Node) -> NodeGate:
        if self._is_present(node):
            return Served("registered")
        if node.kind == "modal":
            return Hidden("NODE_NOT_VISIBLE", node.path)
        return Served("assumed")

    def _tab(self, node: Node) -> NodeGate:
        siblings = self._map.siblings(node.path)
        if any(self._signal(sibling) for sibling in siblings):
            return Hidden("NODE_NOT_VISIBLE", node.path)
        others = [s for s in siblings if self._is_present(s) and self._signal(s) is not False]
        if self._is_present(node):
            return Served("registered", doubtful=bool(others))
        if others:
            return Hidden("NODE_NOT_VISIBLE", node.path)
        return Served("assumed", doubtful=bool(siblings))

    def _signal(self, node: Node) -> bool | None:
        return self._nodes["visible"].get(node.path)

    def _is_present(self, node: Node) -> bool:
        return self._nodes["present"].get(node.path, 0) > 0


def node_gate(draft: Draft, path: str) -> NodeGate:
    """Say whether the node `path`, which is on the draft's page, can be acted on now.

    Raises:
        KeyError: the map has no such node.
    """
    return Tree(draft).gate(path)


def existence(draft: Draft, node: Node) -> Existence:
    """Give every instance of a repeated node: its selector's answer, else what is mounted.

    A selector that raises, or answers anything but a list, is reported to the developer.
    """
    if node.instances is None:
        return _mounted(draft, node)
    try:
        answer = node.instances({key: detached(value) for key, value in draft.state.items()})
    except Exception:  # noqa: BLE001 - the selector is the app's, and so is whatever it raises
        draft.warn(f"the instances of {node.path} cannot be read; those mounted are used instead")
        return _mounted(draft, node)
    if not is_list(answer) or is_object(answer):
        draft.warn(f"the instances of {node.path} are no list; those mounted are used instead")
        return _mounted(draft, node)
    return Existence(_keys(answer), "selector")


def _mounted(draft: Draft, node: Node) -> Existence:
    counts = draft.nodes["instances"].get(node.path, {})
    return Existence(_keys(key for key, count in counts.items() if count > 0), "mounted-window")


def _keys(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(_readable(text_form(value))[:LONGEST_INSTANCE] for value in values)


def _readable(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c) != "Cc")
