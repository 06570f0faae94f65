"""What a port can be told when it is built; fixed for its life."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast, get_args

from onefate.broker.session.state import Principal
from onefate.port.errors import PortOptionsError

JourneyTools: TypeAlias = Literal["per-journey", "single"]
WIRE_NAMES: Final = ("confirmHighEffect", "source", "journeyTools")


@dataclass(frozen=True, slots=True, kw_only=True)
class PortOptions:
    """The three options of a port (spec: port-settlement §1.5).

    Attributes:
        confirm_high_effect: ask before a high-effect action is fired; a gated port always asks.
        source: the principal every fire, card and relayed no of this port is filed under.
        journey_tools: one tool a journey, or a single one for all.
    """

    confirm_high_effect: bool = True
    source: Principal = "agent"
    journey_tools: JourneyTools = "per-journey"

    def __post_init__(self) -> None:
        if type(self.confirm_high_effect) is not bool:
            raise PortOptionsError("confirmHighEffect", "must be true or false")
        if self.source not in get_args(Principal):
            raise PortOptionsError("source", f"must be one of {', '.join(get_args(Principal))}")
        if self.journey_tools not in get_args(JourneyTools):
            raise PortOptionsError(
                "journeyTools", f"must be one of {', '.join(get_args(JourneyTools))}"
            )


def port_options(wire: Mapping[str, object]) -> PortOptions:
    """Read options from their wire form.

    Raises:
        PortOptionsError: for an option that does not exist, or a value of another kind.
    """
    for name in wire:
        if name not in WIRE_NAMES:
            raise PortOptionsError(name, f"does not exist; there are {', '.join(WIRE_NAMES)}")
    return PortOptions(
        confirm_high_effect=cast("bool", wire.get("confirmHighEffect", True)),
        source=cast("Principal", wire.get("source", "agent")),
        journey_tools=cast("JourneyTools", wire.get("journeyTools", "per-journey")),
    )
