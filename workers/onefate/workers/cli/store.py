"""The flags that commands share: which store they work on, and how they answer."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

from onefate.broker.ledger.settings import BrokerSettings, Durability

JsonFlag: TypeAlias = Annotated[bool, Parameter(name="--json", negative="")]


@Parameter(name="*")
@dataclass(frozen=True)
class StoreFlags:
    """The store; without a URL, ONEFATE_URL or this user's private server."""

    url: Annotated[str | None, Parameter(show_default=False)] = None
    """redis://, rediss://, unix:// or embedded: (default: ONEFATE_URL, else embedded:)."""
    namespace: str = "of"
    """The first part of every key."""
    durability: Literal["memory", "fast", "replicated", "fsync", "strict"] = "fast"
    """What an acknowledged write survives."""
    state_dir: Annotated[Path | None, Parameter(show_default=False)] = None
    """Where the private server keeps its data (default: ONEFATE_STATE_DIR)."""

    def settings(self) -> BrokerSettings:
        """Give the broker's settings.

        Raises:
            BadSetting: a flag means nothing.
        """
        return BrokerSettings(
            url=self.url,
            namespace=self.namespace,
            durability=Durability(self.durability),
            state_dir=self.state_dir,
        )


DEFAULT_STORE = StoreFlags()
