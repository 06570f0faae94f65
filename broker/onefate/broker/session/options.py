"""The options of a session: read once, checked, and the same in every process that serves it.

`SessionOptions.read` takes the wire's keys and refuses what means nothing (spec: graph-session §4,
docs/departures.md 20). Functions stay outside: of `navigate` only that there is one is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from onefate.broker.journey.graph import Freshness, JourneyMap
from onefate.broker.journey.words import FRESHNESS_ANSWERS, FRESHNESS_AXES, FreshnessAnswer
from onefate.broker.session.errors import BadOption, UnknownNode
from onefate.broker.session.state import Wire, detached

_KNOWN: Final = frozenset(
    {
        "node", "state", "stateTap", "redactedKeys", "redactedFields", "commitValues", "onWarn",
        "captureProduced", "allowUnmaterializedFires", "checkPayloadShape", "navigate",
        "requireHumanApproval", "freshness", "maxOffers", "maxAcknowledgements",
        "attributionPolicy", "enforcePrincipalPolicy", "effectPolicy", "now", "dormantGraceMs",
    }
)  # fmt: skip
_UNSTORED: Final = frozenset({"state", "navigate", "now", "onWarn"})


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """How long a person's yes stands: for ever unless said."""

    expires_after: int | None = None
    """Milliseconds."""
    refuse_when_world_moved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """What one session was made with."""

    node: str
    state: Mapping[str, object] = field(default_factory=dict[str, object])
    state_tap: bool = False
    redacted_keys: frozenset[str] = frozenset()
    redacted_payload: tuple[str, ...] = ()
    redacted_produced: tuple[str, ...] = ()
    capture_produced: bool = True
    tour: bool = False
    check_payload_shape: bool = True
    navigate: bool = False
    approval: ApprovalPolicy | None = None
    approval_mentioned: bool = False
    freshness: Freshness = field(default_factory=Freshness)
    max_offers: int = 500
    max_acknowledgements: int = 500
    strict: bool = False
    enforce_principal_policy: bool = False
    high_effect_requires_verify: bool = False
    dormant_grace: int = 3000
    wire: Wire = field(default_factory=dict[str, object])
    """The options as they were given, without state and functions: what a store keeps."""

    @classmethod
    def read(cls, wire: Mapping[str, object], journey_map: JourneyMap) -> "SessionOptions":
        """Read and check the wire form.

        Raises:
            BadOption: naming the option and what would be right.
            UnknownNode: the start page is not a page of the map.
        """
        unknown = sorted(set(wire) - _KNOWN)
        if unknown:
            raise BadOption(
                unknown[0], f"is not known; the options are {', '.join(sorted(_KNOWN))}"
            )
        node = wire.get("node", next(iter(journey_map.pages)))
        if not isinstance(node, str) or node not in journey_map.pages:
            raise UnknownNode(str(node), journey_map.pages)
        state = _table(wire, "state") if wire.get("state") is not None else None
        fields = _table(wire, "redactedFields")
        return cls(
            node=node,
            state=detached(state or {}),
            state_tap=_flag(wire, "stateTap", default=state is not None),
            redacted_keys=frozenset(_texts(wire, "redactedKeys")),
            redacted_payload=_texts(fields, "payload", "redactedFields.payload"),
            redacted_produced=_texts(fields, "produced", "redactedFields.produced"),
            capture_produced=_flag(wire, "captureProduced", default=True),
            tour=_flag(wire, "allowUnmaterializedFires"),
            check_payload_shape=_flag(wire, "checkPayloadShape", default=True),
            navigate=bool(wire.get("navigate")),
            approval=_approval(wire),
            approval_mentioned="requireHumanApproval" in wire,
            freshness=_freshness(_table(wire, "freshness")),
            max_offers=max(1, _number(wire, "maxOffers", 500)),
            max_acknowledgements=max(1, _number(wire, "maxAcknowledgements", 500)),
            strict=_word(wire, "attributionPolicy", ("default", "strict")) == "strict",
            enforce_principal_policy=_flag(wire, "enforcePrincipalPolicy"),
            high_effect_requires_verify=_flag(
                _table(wire, "effectPolicy"), "highEffectRequiresVerify"
            ),
            dormant_grace=_number(wire, "dormantGraceMs", 3000),
            wire={key: detached(wire[key]) for key in wire if key not in _UNSTORED}
            | ({"navigate": True} if wire.get("navigate") else {})
            | {"stateTap": _flag(wire, "stateTap", default=state is not None)},
        )

    @property
    def enforced(self) -> bool:
        """Whether an agent needs a person's recorded yes."""
        return self.approval is not None


def _flag(wire: Mapping[str, object], key: str, *, default: bool = False) -> bool:
    value = wire.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise BadOption(key, "must be true or false")
    return value


def _number(wire: Mapping[str, object], key: str, default: int) -> int:
    value = wire.get(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise BadOption(key, "must be a whole number")
    return int(value)


def _word(wire: Mapping[str, object], key: str, words: tuple[str, ...]) -> str:
    value = wire.get(key, words[0])
    if not isinstance(value, str) or value not in words:
        raise BadOption(key, f"must be one of: {', '.join(words)}")
    return value


def _table(wire: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = wire.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadOption(key, "must be an object")
    return cast("Mapping[str, object]", value)


def _texts(wire: Mapping[str, object], key: str, name: str | None = None) -> tuple[str, ...]:
    value = wire.get(key)
    if value is None:
        return ()
    if not isinstance(value, list | tuple | set | frozenset):
        raise BadOption(name or key, "must be a list of names")
    items = tuple(cast("list[object]", value))
    names = tuple(item for item in items if isinstance(item, str))
    if len(names) != len(items):
        raise BadOption(name or key, "must be a list of names")
    return names


def _approval(wire: Mapping[str, object]) -> ApprovalPolicy | None:
    value = wire.get("requireHumanApproval")
    if value is None or value is False:
        return None
    if value is True:
        return ApprovalPolicy()
    policy = _table(wire, "requireHumanApproval")
    unknown = sorted(set(policy) - {"expiresAfterMs", "refuseWhenWorldMoved"})
    if unknown:
        raise BadOption(f"requireHumanApproval.{unknown[0]}", "is not known")
    expires = policy.get("expiresAfterMs")
    if expires is not None and _number(policy, "expiresAfterMs", 0) < 0:
        raise BadOption("requireHumanApproval.expiresAfterMs", "must not be negative")
    return ApprovalPolicy(
        expires_after=None if expires is None else _number(policy, "expiresAfterMs", 0),
        refuse_when_world_moved=_flag(policy, "refuseWhenWorldMoved"),
    )


def _freshness(policy: Mapping[str, object]) -> Freshness:
    for axis in policy:
        if axis not in FRESHNESS_AXES:
            raise BadOption(f"freshness.{axis}", f"is not one of: {', '.join(FRESHNESS_AXES)}")
    answers: dict[str, FreshnessAnswer | None] = {}
    for axis in FRESHNESS_AXES:
        answer = policy.get(axis)
        if answer is not None and answer not in FRESHNESS_ANSWERS:
            words = ", ".join(FRESHNESS_ANSWERS)
            raise BadOption(f"freshness.{axis}", f"must be one of: {words}")
        answers[axis] = answer
    return Freshness(
        guard_changes=answers["guardChanges"],
        read_changes=answers["readChanges"],
        write_changes=answers["writeChanges"],
        position_changes=answers["positionChanges"],
    )
