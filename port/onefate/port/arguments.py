"""What an agent sent, read leniently: a value of the wrong kind counts as not sent.

Nothing is validated against a schema and nothing here raises, whatever arrives (call:never-waits;
spec: port-settlement §2).
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from onefate.broker.journey.values import ABSENT

DEEPEST_INPUT: Final = 64
WIDEST_INTEGER: Final = 1024
"""Bits; what is wider cannot be written as text everywhere."""
LONGEST_NAME: Final = 1000
"""Code points of what is kept to tell one fire from another."""
KEPT: Final = ("instance", "offerId", "acknowledgementId")
"""The texts that a fire keeps."""
TEXTS: Final = (
    "journey", "step", "action", "instance", "offerId", "acknowledgementId", "key", "transitionId",
    "routeTo",
)  # fmt: skip
"""Every argument that is a text."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call."""

    sent: Mapping[object, object]

    @classmethod
    def of(cls, sent: object) -> "Arguments":
        """Read what was sent; anything but an object has no usable keys."""
        return cls(cast("Mapping[object, object]", sent) if isinstance(sent, Mapping) else {})

    def text(self, name: str) -> str | None:
        """Give a string argument, the empty one included."""
        value = self.sent.get(name)
        return value if isinstance(value, str) else None

    def named(self, name: str) -> str | None:
        """Give a string argument that says something."""
        return self.text(name) or None

    def flag(self, name: str) -> bool:
        """Say whether an argument is exactly true."""
        return self.sent.get(name) is True

    def number(self, name: str) -> int | float | None:
        """Give a finite number."""
        value = self.sent.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return value if isinstance(value, int) or math.isfinite(value) else None

    @property
    def input(self) -> object:
        """The input exactly as sent; `ABSENT` where none was."""
        return self.sent.get("input", ABSENT)

    def too_long(self) -> str | None:
        """Name the first text that is longer than a fire can keep."""
        return next((name for name in KEPT if len(self.text(name) or "") > LONGEST_NAME), None)

    def size(self, *, acting: bool) -> int:
        """Count the bytes of JSON that a call would use; `acting` says that the input is one."""
        parts: list[object] = [self.text(name) for name in TEXTS if name in self.sent]
        if acting and self.input is not ABSENT:
            parts.append(self.input)
        return sum(len(json.dumps(part, separators=(",", ":"))) for part in parts)


def is_json(value: object) -> bool:
    """Say whether a value can be kept as JSON, nested no deeper than `DEEPEST_INPUT`."""
    level: list[object] = [value]
    for _ in range(DEEPEST_INPUT):
        if not level:
            return True
        if not all(_is_member(part) for part in level):
            return False
        level = [inner for part in level for inner in _members(part)]
    return not level


def _is_member(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return value.bit_length() <= WIDEST_INTEGER
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in cast("dict[object, object]", value))
    return value is None or isinstance(value, str | list)


def _members(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(cast("dict[str, object]", value).values())
    return cast("list[object]", value) if isinstance(value, list) else []
