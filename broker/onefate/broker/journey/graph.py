"""The compiled journey map: frozen, complete, and the same for every process that compiles it.

`compile_map` makes these values; nothing here validates or reads a clock. Mappings keep compile
order, which is observable (spec: graph-session §0.8): a node's containers come before its own
actions, root actions come last. JSON parts (`binding`, thresholds, `expects`) are plain values
shared by all readers: copy them with `detached` before changing them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from onefate.broker.journey.filters import Filter
from onefate.broker.journey.values import Json
from onefate.broker.journey.words import (
    ActorKind,
    ClearedBy,
    ConcurrencyMode,
    ConcurrencyScope,
    DecisionOwner,
    DescriptionSource,
    FreshnessAnswer,
    InputKind,
    NodeKind,
    Observability,
    Role,
)

State: TypeAlias = Mapping[str, object]
StateReader: TypeAlias = Callable[[State], object]


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why a disabled action is disabled, in its author's words (`blockedBecause`)."""

    says: str
    cleared_by: ClearedBy


@dataclass(frozen=True, slots=True)
class HumanDecides:
    """The choice behind this action is a person's (`humanDecides`)."""

    about: str | None = None
    done_when: Filter | None = None


@dataclass(frozen=True, slots=True)
class PrincipalPolicy:
    """Who may invoke, who owns the decision, whether a person must approve (`principalPolicy`)."""

    may_invoke: tuple[ActorKind, ...] | None = None
    decision_owner: DecisionOwner | None = None
    requires_human_approval: bool | None = None


@dataclass(frozen=True, slots=True)
class Freshness:
    """What a fire must do about changes since its offer; an axis left out is None (`freshness`)."""

    guard_changes: FreshnessAnswer | None = None
    read_changes: FreshnessAnswer | None = None
    write_changes: FreshnessAnswer | None = None
    position_changes: FreshnessAnswer | None = None


@dataclass(frozen=True, slots=True)
class Concurrency:
    """How repeats of one action are held apart (`concurrency`)."""

    mode: ConcurrencyMode = "parallel"
    scope: ConcurrencyScope = "action"


@dataclass(frozen=True, slots=True)
class InputContract:
    """What an action accepts: a kind, the schema or validator behind it, and what is served of it.

    `expects` is None only for the kind `undeclared`; `name` is what a pydantic model is called
    (spec: graph-session §3.1).
    """

    kind: InputKind = "undeclared"
    schema: object = None
    expects: Json = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be performed, with everything the session asks of it worked out.

    `guard` is the AND of the ancestors' `when` and its own; `enabled_when` is its own alone.
    `reads` and `writes` are None where nothing was declared: an empty tuple is a declaration.
    `verify_covers_writes` is true if `verify` is a filter that names every declared write, and
    there is one (spec: graph-session §9.6).
    """

    id: str
    name: str
    description: str
    on: tuple[str, ...]
    node: str | None = None
    guard: Filter | None = None
    enabled_when: Filter | None = None
    verify: Filter | StateReader | None = None
    blocked_because: Blocked | StateReader | None = None
    reads: tuple[str, ...] | None = None
    writes: tuple[str, ...] | None = None
    goes_to: str | None = None
    high_effect: bool = False
    role: Role = "action"
    input: InputContract = field(default_factory=InputContract)
    human_decides: HumanDecides | None = None
    principal_policy: PrincipalPolicy | None = None
    observability: Observability | None = None
    freshness: Freshness | None = None
    concurrency: Concurrency = field(default_factory=Concurrency)
    binding: Mapping[str, Json] | None = None
    description_source: DescriptionSource = "declared"
    verify_covers_writes: bool = False

    @property
    def expects(self) -> Json:
        """What a row serves of the input contract; None where nothing was declared."""
        return self.input.expects

    @property
    def no_input(self) -> bool:
        """True for an action that takes no input at all (`input: 'none'`)."""
        return self.input.kind == "none"

    @property
    def guard_keys(self) -> tuple[str, ...]:
        """The state keys of the composed guard, in its order."""
        return () if self.guard is None else self.guard.keys


@dataclass(frozen=True, slots=True)
class Node:
    """A page or a container: its place in the tree and its own words.

    `guard` is its own `when`; `scope` the AND of the whole chain down to it, which guards every
    action inside. `actions` are the ids of its own statically declared actions.
    """

    path: str
    id: str
    kind: NodeKind
    page: str
    parent: str | None = None
    children: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    overlay: bool = False
    repeats: bool = False
    guard: Filter | None = None
    scope: Filter | None = None
    description: str | None = None
    route: str | None = None
    instances: StateReader | None = None


@dataclass(frozen=True, slots=True)
class Journey:
    """A named flow over declared actions: every step is an exact action id."""

    id: str
    description: str
    steps: tuple[str, ...]
    precondition: Filter | None = None


@dataclass(frozen=True, slots=True)
class JourneyMap:
    """An app's pages, actions and journeys, compiled; read-only and shared by every session on it.

    `pages` are the nodes that are pages; `routes` the routes of those that have one.
    `action_nodes` lists the node of a placed action, and every page of a root action.
    `fingerprint` is equal for two maps whenever their declarations are, in any process (spec:
    graph-session §1.1).
    """

    id: str
    description: str | None
    pages: Mapping[str, Node]
    nodes: Mapping[str, Node]
    actions: Mapping[str, Action]
    action_nodes: Mapping[str, tuple[str, ...]]
    journeys: Mapping[str, Journey]
    routes: Mapping[str, str]
    state_keys: tuple[str, ...]
    fingerprint: str

    def required_state_keys(self) -> tuple[str, ...]:
        """The sorted keys read by guards, node conditions, preconditions and `doneWhen`."""
        return self.state_keys

    def lineage(self, path: str) -> tuple[Node, ...]:
        """The nodes from the page down to `path`; KeyError for a path this map does not have."""
        found: list[Node] = []
        here: str | None = path
        while here is not None:
            node = self.nodes[here]
            found.append(node)
            here = node.parent
        return tuple(reversed(found))

    def siblings(self, path: str) -> tuple[Node, ...]:
        """The other nodes of the same kind under the same parent, in declaration order."""
        node = self.nodes[path]
        if node.parent is None:
            return ()
        beside = (self.nodes[child] for child in self.nodes[node.parent].children)
        return tuple(n for n in beside if n.kind == node.kind and n.path != path)
