"""Every setting of a broker, checked when it is made.

A setting that means nothing raises `BadSetting` here, before anything is opened. Two environment
variables are read, only for what the caller left out: `ONEFATE_URL` and `ONEFATE_STATE_DIR`.
"""

import os
import re
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from onefate.broker.ledger.errors import BadSetting
from onefate.broker.ledger.link.policy import LinkPolicy
from onefate.broker.ledger.link.target import (
    EMBEDDED,
    EmbeddedTarget,
    ServerTarget,
    Target,
    parse_target,
)

URL_VARIABLE = "ONEFATE_URL"
STATE_DIR_VARIABLE = "ONEFATE_STATE_DIR"
_DAY_MS = 24 * 60 * 60 * 1000


class Durability(StrEnum):
    """What an acknowledged write survives (docs/operations.md)."""

    MEMORY = "memory"
    FAST = "fast"
    REPLICATED = "replicated"
    FSYNC = "fsync"
    STRICT = "strict"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSettings:
    """What a broker is opened with; equal settings open the same data.

    Times are seconds, except the retention, which the store keeps in milliseconds and counts from
    a fire's settlement. `target` and `directory` are what the URL and the state directory came to.

    Raises:
        BadSetting: a value means nothing; the sentence names it and what would be right.
    """

    url: str | None = field(default=None, repr=False)
    namespace: str = "of"
    durability: Durability = Durability.FAST
    retention_ms: int = 7 * _DAY_MS
    patience: float = 10.0
    heartbeat: float = 2.0
    deadline: float = 3.0
    max_payload_bytes: int = 256 << 10
    max_receipt_bytes: int = 256 << 10
    state_dir: Path | None = None
    target: Target = field(init=False)
    directory: Path = field(init=False)

    def __post_init__(self) -> None:
        _check_words(self.namespace, self.durability)
        for name in ("patience", "heartbeat", "deadline"):
            _check_positive(name, getattr(self, name))
        for name in ("retention_ms", "max_payload_bytes", "max_receipt_bytes"):
            _check_positive(name, getattr(self, name))
        url = self.url or os.environ.get(URL_VARIABLE) or EMBEDDED
        target = parse_target(url)
        chosen = target.state_dir if isinstance(target, EmbeddedTarget) else None
        object.__setattr__(self, "durability", Durability(self.durability))
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "directory", chosen or self.state_dir or default_state_dir())

    @property
    def database(self) -> int:
        """The number of the server's database."""
        return self.target.database if isinstance(self.target, ServerTarget) else 0

    def link_policy(self) -> LinkPolicy:
        """Return the times a link keeps under these settings."""
        return LinkPolicy(patience=self.patience, heartbeat=self.heartbeat, deadline=self.deadline)


def default_state_dir() -> Path:
    """Return where the embedded server of this user keeps its data."""
    if given := os.environ.get(STATE_DIR_VARIABLE):
        return Path(given).expanduser()
    base = os.environ.get("XDG_STATE_HOME", "")
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "state"
    return root / "onefate"


def _check_words(namespace: str, durability: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,32}", namespace):
        raise BadSetting("namespace", "must be 1 to 32 letters, digits or ._-")
    if durability not in set(Durability):
        raise BadSetting("durability", f"must be one of {', '.join(Durability)}")


def _check_positive(name: str, value: float) -> None:
    if not value > 0:
        raise BadSetting(name, f"must be more than 0, not {value!r}")
