"""An attempt: one call of `fire` on its way through the gates, with what they have worked out.

Gates read it; only `fire` writes (spec: graph-session §9.1).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from onefate.broker.journey import Action, input_digest
from onefate.broker.journey.conditions import Evaluation, evaluate
from onefate.broker.journey.contracts import CheckedPayload, check_payload
from onefate.broker.session import cards
from onefate.broker.session.draft import Draft
from onefate.broker.session.facts import handler_for
from onefate.broker.session.state import ABSENT, Wire

PRINCIPALS: Final = ("user", "agent", "system", "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class FireOptions:
    """What a caller says beside the action: who fires, with what, citing which rows."""

    source: str = "agent"
    expected_version: int | None = None
    payload: object = ABSENT
    instance: str | None = None
    invoke: bool = True
    """False reports what already happened; nothing is executed."""
    ask_id: str | None = None
    offer_id: str | None = None
    acknowledgement_id: str | None = None

    @classmethod
    def read(cls, wire: Mapping[str, object], source: str = "agent") -> "FireOptions":
        """Read the wire's keys; what is not of its kind counts as not given."""
        said = wire.get("source")
        version = wire.get("expectedVersion")
        return cls(
            source=said if isinstance(said, str) and said in PRINCIPALS else source,
            expected_version=version if isinstance(version, int) else None,
            payload=wire.get("payload", ABSENT),
            instance=_text(wire, "instance"),
            invoke=wire.get("invoke") is not False,
            ask_id=_text(wire, "askId"),
            offer_id=_text(wire, "offerId"),
            acknowledgement_id=_text(wire, "acknowledgementId"),
        )


@dataclass(frozen=True, slots=True)
class Allowed:
    """The fire may pass on the strength of a card, or of a standing grant."""

    pointer: str
    grant: bool = False


def _text(wire: Mapping[str, object], key: str) -> str | None:
    value = wire.get(key)
    return value if isinstance(value, str) else None


@dataclass
class Attempt:
    """One attempt, judged as far as its gates have got."""

    draft: Draft
    action_id: str
    options: FireOptions
    action: Action | None = field(init=False)
    guard: Evaluation = field(init=False)
    checked: CheckedPayload = field(init=False)
    binding: str | None = field(init=False, default=None)
    """The registry key, or `NAVIGATE`, of what would perform it."""
    allowed: Allowed | None = field(init=False, default=None)
    """What lets a gated fire pass."""
    repeated: Wire | None = field(init=False, default=None)
    """A once action that a person has reopened: what it repeats, and who reopened it."""

    def __post_init__(self) -> None:
        """Work out what several gates ask for."""
        draft, action = self.draft, self.draft.action(self.action_id)
        self.action = action
        state = draft.state
        self.guard = evaluate(
            None if action is None else action.guard, state, draft.options.redacted_keys
        )
        self.checked = CheckedPayload(self.options.payload)
        if action is not None:
            self.binding = handler_for(draft, action, self.options.instance)
            self.checked = check_payload(
                action.input,
                self.options.payload,
                check_shape=draft.options.check_payload_shape,
            )

    @property
    def known(self) -> Action:
        """The action, once the gate that asks whether it is declared has passed."""
        if self.action is None:
            raise KeyError(self.action_id)
        return self.action

    @property
    def payload(self) -> object:
        """The input, normalised: what is recorded, compared and handed to the handler."""
        return self.checked.value

    @cached_property
    def digest(self) -> str | None:
        """The canonical digest of the input, None where JSON cannot hold it."""
        return input_digest(self.payload)

    @cached_property
    def subject(self) -> str:
        """The key of every card about exactly this fire."""
        return cards.subject(self.action_id, self.options.instance, self.digest)

    @property
    def is_tour(self) -> bool:
        """Whether an agent fires what nothing performs, in a session that allows it."""
        options = self.options
        return (
            self.draft.options.tour
            and options.source == "agent"
            and options.invoke
            and self.binding is None
        )

    @property
    def runs(self) -> bool:
        """Whether our side will run something."""
        return self.options.invoke and self.binding is not None
