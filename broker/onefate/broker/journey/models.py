"""A journey map as its author writes it: one JSON for a JavaScript front end and a Python back end.

Each model is one object of the wire format: snake_case in Python, the wire's own keys as aliases.
Where the format takes a function, a Python callable stands; where it takes a schema, a JSON
Schema, a pydantic model or any object that parses. Keys the format does not read are ignored, as
the front end ignores them. `compile_map` judges what a shape cannot say (spec: graph-session
§1.2).

A map in Python:

    shop = MapDefinition(
        does="A shop with one basket",
        pages={
            "basket": PageDefinition(
                route="/basket",
                actions={
                    "add": ActionDefinition(does="Put a thing in the basket", writes=["items"]),
                    "pay": ActionDefinition(
                        does="Pay for everything in the basket",
                        when={"items": {"gt": 0}},
                        verify={"paid": {"eq": True}},
                        writes=["paid"],
                        confirm=True,
                    ),
                },
            ),
        },
        journeys={"buy": JourneyDefinition(does="Buy something", steps=["add", "pay"])},
    )
    graph = compile_map("shop", shop)
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SkipValidation,
    StrictBool,
    StrictStr,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from onefate.broker.journey.errors import Rule
from onefate.broker.journey.filters import DENIED_KEYS, FilterDefinition
from onefate.broker.journey.graph import StateReader
from onefate.broker.journey.scalars import is_blank
from onefate.broker.journey.values import Json, is_list, is_object
from onefate.broker.journey.words import (
    LONGEST_ABOUT,
    LONGEST_MEMBERSHIP_LIST,
    ActorKind,
    ClearedBy,
    ConcurrencyMode,
    ConcurrencyScope,
    DecisionOwner,
    FreshnessAnswer,
    Observability,
)


def _not_blank(text: str) -> str:
    if is_blank(text):
        raise PydanticCustomError("BLANK_TEXT", "a text that says something is needed here")
    return text


def _actors(kinds: object) -> object:
    if is_list(kinds) and "user" in kinds:
        raise PydanticCustomError("WRONG_SHAPE", "a person is called 'human' here, not 'user'")
    return kinds


def _fault(rule: Rule, key: str, problem: str) -> PydanticCustomError:
    return PydanticCustomError(rule, "{problem}", {"problem": problem, "key": key})


def _membership() -> dict[str, Json]:
    return {"type": "array", "maxItems": LONGEST_MEMBERSHIP_LIST}


_TESTS: dict[str, Json] = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": False,
    "properties": {
        **{name: {} for name in ("eq", "ne", "gt", "gte", "lt", "lte")},
        "in": _membership(),
        "notIn": _membership(),
    },
}
_FILTER: dict[str, Json] = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": _TESTS,
    "propertyNames": {"not": {"enum": list[Json](sorted(DENIED_KEYS))}},
    "description": "Conditions on the app's state; all must hold: {key: {operator: value}}.",
}
_ON: dict[str, Json] = {
    "anyOf": [
        {"type": "string"},
        {"type": "array", "minItems": 1, "items": {"type": "string"}},
    ]
}
_STEP: dict[str, Json] = {
    "anyOf": [
        {"type": "string", "pattern": r"\S"},
        {
            "type": "object",
            "required": ["step"],
            "properties": {"step": {"type": "string", "pattern": r"\S"}},
        },
    ]
}
_INPUT: dict[str, Json] = {
    "anyOf": [
        {"const": "none"},
        {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}}},
        {
            "type": "object",
            "required": ["properties"],
            "properties": {"properties": {"type": "object"}},
        },
    ],
    "description": "What it accepts: 'none', or a JSON Schema. Left out, nothing is said about it.",
}
_BINDING: dict[str, Json] = {
    "type": "object",
    "properties": {"kind": {"type": "string"}, "href": {"type": "string"}},
}
_BLOCKED: dict[str, Json] = {
    "type": "object",
    "required": ["says", "clearedBy"],
    "properties": {
        "says": {"type": "string", "pattern": r"\S"},
        "clearedBy": {"enum": ["app", "user", "invalid"]},
    },
    "description": "Why it is switched off, and by whom it can be switched on.",
}

Text: TypeAlias = Annotated[
    StrictStr, AfterValidator(_not_blank), Field(json_schema_extra={"pattern": r"\S"})
]
FilterField: TypeAlias = Annotated[SkipValidation[FilterDefinition | None], WithJsonSchema(_FILTER)]
Reader: TypeAlias = SkipValidation[StateReader | None]


WRITTEN: Final = object()
"""The validation context of a map in wire form, where null is not the same as left out."""

_RENAMED: Final = {"actions": "tools", "journeys": "skills"}


class Definition(BaseModel):
    """What every object of a map file has in common."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        frozen=True,
        extra="ignore",
        arbitrary_types_allowed=True,
        use_attribute_docstrings=True,
        defer_build=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _as_written(cls, data: object, info: ValidationInfo) -> object:
        if info.context is WRITTEN and is_object(data):
            for name, field in cls.model_fields.items():
                key = field.alias or name
                old = _RENAMED.get(key)
                if old is not None and old in data:
                    raise _fault("RENAMED_KEY", old, f"this key is called {key} now")
                if data.get(key, key) is None:
                    raise _fault("WRONG_SHAPE", key, "null says nothing: leave the key out")
        return data


class BlockedDefinition(Definition):
    """Why an action is switched off, in words for whoever wants to perform it."""

    says: Text
    cleared_by: ClearedBy


class HumanDecidesDefinition(Definition):
    """The choice behind an action is a person's."""

    about: Annotated[Text, Field(max_length=LONGEST_ABOUT)] | None = None
    """What is decided."""
    done_when: FilterField = None
    """When the decision counts as made."""


class PrincipalPolicyDefinition(Definition):
    """Who may perform an action; a disclosure unless the session enforces it."""

    may_invoke: Annotated[list[ActorKind], BeforeValidator(_actors), Field(min_length=1)] | None = (
        None
    )
    decision_owner: DecisionOwner | None = None
    requires_human_approval: StrictBool | None = None


class FreshnessDefinition(Definition):
    """What is asked of a fire when something changed since the action was offered."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"minProperties": 1})

    guard_changes: FreshnessAnswer | None = None
    read_changes: FreshnessAnswer | None = None
    write_changes: FreshnessAnswer | None = None
    position_changes: FreshnessAnswer | None = None


class ConcurrencyDefinition(Definition):
    """How repeats of one action are held apart."""

    mode: ConcurrencyMode
    scope: ConcurrencyScope | None = None


class ActionDefinition(Definition):
    """One thing that can be performed."""

    does: Text
    """What performing it does, in words a person and an agent both read."""
    binding: Annotated[SkipValidation[Mapping[str, object] | None], WithJsonSchema(_BINDING)] = None
    """The gesture behind it; only `url` can be performed by itself."""
    when: FilterField = None
    """When it exists: while this is false it is not offered."""
    enabled_when: FilterField = None
    """When it is switched on: while this is false it is offered as disabled."""
    blocked_because: Annotated[
        SkipValidation[BlockedDefinition | Mapping[str, object] | StateReader | None],
        WithJsonSchema(_BLOCKED),
    ] = None
    """Why it is switched off; a callable is asked with the state."""
    writes: list[StrictStr] | None = None
    """The state keys it changes; their report settles it."""
    reads: list[StrictStr] | None = None
    """The state keys its outcome depends on."""
    go_to: StrictStr | None = None
    """The page it leads to."""
    confirm: StrictBool | None = None
    """True for what a person should be asked about first."""
    input: Annotated[SkipValidation[object], WithJsonSchema(_INPUT)] = None
    verify: Annotated[
        SkipValidation[FilterDefinition | StateReader | None], WithJsonSchema(_FILTER)
    ] = None
    """What must hold once it has come to rest, or it did not work."""
    human_decides: HumanDecidesDefinition | None = None
    principal_policy: PrincipalPolicyDefinition | None = None
    observability: Observability | None = None
    """How anybody can tell that it happened."""
    freshness: FreshnessDefinition | None = None
    concurrency: ConcurrencyDefinition | None = None
    role: StrictStr | None = None
    """next, prev, submit, cancel, back, open, close or action."""


class RootActionDefinition(ActionDefinition):
    """An action offered on several pages, by its bare name."""

    on: Annotated[SkipValidation[str | Sequence[str]], WithJsonSchema(_ON)]
    """The page or pages it is offered on."""


class ContainerDefinition(Definition):
    """An area or a tab: a part of a page that holds actions and further parts."""

    does: StrictStr | None = None
    when: FilterField = None
    """AND-ed into the condition of everything inside."""
    areas: "dict[str, ContainerDefinition] | None" = None
    """Parts that are there together."""
    tabs: "dict[str, ContainerDefinition] | None" = None
    """Parts of which at most one is shown."""
    modals: "dict[str, ModalDefinition] | None" = None
    """Parts that must be opened first."""
    repeats: StrictBool | None = None
    """True for a template: its actions need the key of an instance."""
    instances: Annotated[Reader, WithJsonSchema({"not": {}})] = None
    actions: dict[str, ActionDefinition] | None = None


class ModalDefinition(ContainerDefinition):
    """A part that must be opened first, and hides what is under it while it is."""

    blocks: StrictBool | None = None
    """False for a popover, which hides nothing."""


class PageDefinition(ContainerDefinition):
    """One place of the app."""

    route: StrictStr | None = None


class StepDefinition(Definition):
    """A step of a journey in its long form."""

    step: Text


class JourneyDefinition(Definition):
    """A named flow over declared actions."""

    does: Text
    steps: Annotated[
        SkipValidation[Sequence[str | StepDefinition | Mapping[str, object]]],
        WithJsonSchema({"type": "array", "minItems": 1, "items": _STEP}),
    ]
    """Action ids, or unique endings of them."""
    when: FilterField = None
    """What must hold before it can be entered."""


class RouteDefinition(Definition):
    """A page as a table of routes knows it."""

    route: StrictStr | None = None
    does: StrictStr | None = None


class RoutesSource(Definition):
    """Pages taken from a table of routes, and links between them."""

    kind: Literal["routes"] = "routes"
    pages: dict[str, RouteDefinition]
    cross_links: list[StrictStr] | None = None
    """Pages that every other page offers to go to."""


class JourneysSource(Definition):
    """Journeys taken from a table."""

    kind: Literal["journeys"] = "journeys"
    journeys: dict[str, JourneyDefinition]


Source: TypeAlias = RoutesSource | JourneysSource


class MapDefinition(Definition):
    """An app's pages, actions and journeys, declared once."""

    does: StrictStr | None = None
    pages: dict[str, PageDefinition] | None = None
    actions: dict[str, RootActionDefinition] | None = None
    """Actions offered on several pages."""
    journeys: dict[str, JourneyDefinition] | None = None
    sources: list[Annotated[RoutesSource | JourneysSource, Field(discriminator="kind")]] | None = (
        None
    )
    """Tables that pages and journeys are taken from; what is written by hand wins."""
