"""The closed word lists of a journey map, spelled as they stand on the wire.

One alias a list, and for the lists that are checked at run time the tuple of its words in the order
the specification gives them (spec: graph-session §1.2, §2.2).
"""

from typing import Final, Literal, TypeAlias, get_args

NodeKind: TypeAlias = Literal["page", "area", "tab", "modal"]
Operator: TypeAlias = Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "notIn"]
Role: TypeAlias = str
Observability: TypeAlias = Literal[
    "state-delta", "postcondition", "navigation", "external", "unobservable"
]
FreshnessAnswer: TypeAlias = Literal["disclose", "require-ack", "refuse"]
FreshnessAxis: TypeAlias = Literal["guardChanges", "readChanges", "writeChanges", "positionChanges"]
ConcurrencyMode: TypeAlias = Literal["parallel", "single-flight", "once"]
ConcurrencyScope: TypeAlias = Literal["action", "instance", "payload"]
ActorKind: TypeAlias = Literal["human", "agent", "system"]
DecisionOwner: TypeAlias = Literal["human", "agent", "either"]
ClearedBy: TypeAlias = Literal["app", "user", "invalid"]
DescriptionSource: TypeAlias = Literal["declared", "registration"]
Verdict: TypeAlias = Literal["held", "failed", "unevaluable"]
InputKind: TypeAlias = Literal["undeclared", "none", "json-schema", "typed", "validator"]

OPERATORS: Final[tuple[Operator, ...]] = get_args(Operator)
FRESHNESS_AXES: Final[tuple[FreshnessAxis, ...]] = get_args(FreshnessAxis)
FRESHNESS_ANSWERS: Final[tuple[FreshnessAnswer, ...]] = get_args(FreshnessAnswer)
CLEARED_BY: Final[tuple[ClearedBy, ...]] = get_args(ClearedBy)

RESERVED_CHARACTERS: Final = ".[]#/|"
LEAVE_JOURNEY: Final = "leave-journey"
LONGEST_MEMBERSHIP_LIST: Final = 1000
LONGEST_ABOUT: Final = 200
