"""The small app that the benchmark's ports serve: an action with every gate, and one that waits."""

from collections.abc import Mapping
from typing import Final

from onefate.broker.journey import JourneyMap, compile_map

_AMOUNT: Final = {
    "type": "object",
    "properties": {"amount": {"type": "number"}},
    "required": ["amount"],
}
_OPEN: Final = {"open": {"eq": True}}

MAP: Final[JourneyMap] = compile_map(
    "bench",
    {
        "pages": {
            "till": {
                "actions": {
                    "pay": {
                        "does": "Pay",
                        "input": _AMOUNT,
                        "when": _OPEN,
                        "enabledWhen": _OPEN,
                        "concurrency": {"mode": "single-flight"},
                    },
                    "hold": {"does": "Hold", "input": _AMOUNT},
                }
            }
        }
    },
)
"""`till.pay` passes a guard, a switch, an input schema and single flight; `till.hold` may wait."""

OPTIONS: Final[Mapping[str, object]] = {"state": {"open": True}}
LEDGER_QUEUE: Final = "ledger-work"
PORT_QUEUE: Final = "port-work"
PORT_SESSION: Final = "port"
PAY: Final = "till.pay"
HOLD: Final = "till.hold"
INPUT: Final = {"amount": 42}
PRODUCED: Final = {"order": "A-1773"}


async def handler(_payload: object) -> object:
    """Perform an action: the least work that produces something."""
    return PRODUCED
