"""What a scenario has set up so far: its driver, its port, its saved answers, groups and waits."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from onefate.port import PortOptions, port_options
from tests.conformance.driver import Driver
from tests.conformance.scenario import Json, NotSaid, Step, text


@dataclass(slots=True)
class Stage:
    """The hands of one scenario."""

    driver: Driver
    port: PortOptions
    saved: dict[str, Json] = field(default_factory=dict[str, Json])
    groups: dict[str, str] = field(default_factory=dict[str, str])
    """What a scenario calls a group → what the session calls it."""
    waits: dict[str, Callable[[], Json]] = field(default_factory=dict[str, Callable[[], Json]])
    array: bytes | None = None
    """The tool array as it was first asked for."""

    def keep(self, name: str, answer: Json) -> None:
        """Save an answer under a name."""
        self.saved[name] = answer

    def use_port(self, options: dict[str, Json]) -> None:
        """Take another port on the same session."""
        self.port = port_options(cast("dict[str, object]", options))

    def group(self, step: Step) -> str:
        """The session's name of the group that a step names; it stays known once released."""
        name = text(step["group"])
        if name not in self.groups:
            raise NotSaid(name)
        return self.groups[name]
