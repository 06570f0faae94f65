"""What a worker is handed of a fire over a map: which handler to run, and on what input.

An order is the fire's payload in the store. Its input is the real one, never a redacted copy.
"""

import json
from dataclasses import dataclass
from typing import Self, cast

from onefate.broker.ledger.faults import NotJson, TooLarge
from onefate.broker.session.draft import FireOrder
from onefate.broker.session.state import ABSENT


@dataclass(frozen=True, slots=True)
class Order:
    """One fire to be performed."""

    binding: str | None
    """The registry key of the handler; None where an address is to be opened."""
    href: str | None
    instance: str | None
    payload: object
    """None where the fire has no input."""

    @classmethod
    def read(cls, stored: object) -> Self:
        """Read what `order_bytes` wrote."""
        words = cast("dict[str, object]", stored)
        texts = cast("dict[str, str]", stored)
        return cls(texts.get("b"), texts.get("h"), texts.get("i"), words.get("p"))


def check_input(payload: object, limit: int) -> None:
    """Let an input pass that can be kept.

    Raises:
        NotJson: JSON cannot carry it.
        TooLarge: its JSON has more than `limit` bytes.
    """
    try:
        size = len(json.dumps(payload, separators=(",", ":"), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as problem:
        raise NotJson("input", str(problem) or "it is nested too deeply") from None
    if size > limit:
        raise TooLarge("input", size, limit)


def order_bytes(order: FireOrder) -> bytes:
    """Write what a worker needs; what the fire does not have is left out."""
    parts: dict[str, object] = {"b": order.binding, "h": order.href, "i": order.instance}
    parts = {key: part for key, part in parts.items() if part is not None}
    if order.payload is not ABSENT:
        parts["p"] = order.payload
    return json.dumps(parts, separators=(",", ":")).encode()
