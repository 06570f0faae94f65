"""The port as others may implement and consume it: tools, calls, and the two settlement doors."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class JourneyToolsPort(Protocol):
    """The least that makes a port: a fixed tool array and one call that answers at once."""

    def tools(self) -> Sequence[Mapping[str, object]]:
        """Give the tool array, the same bytes each time (tools:bytes-stable)."""
        ...

    async def call(self, name: str, args: object = None) -> Mapping[str, object]:
        """Answer a tool call; never waits, never raises for what an agent can send."""
        ...


@runtime_checkable
class JourneyToolsPortWithSettlement(JourneyToolsPort, Protocol):
    """A port that also tells how a fire came to rest; those built here always do."""

    async def when_settled(self, transition_id: str) -> Mapping[str, object]:
        """Give the settlement of a fire once it has one (wait:never-fails).

        Raises:
            ImpossibleId: at once, for an id that no settlement can ever exist for.
        """
        ...

    async def settled_answer(self, transition_id: str) -> Mapping[str, object] | None:
        """Give the facts of a settled fire, None while it is open (answer:three).

        Raises:
            ImpossibleId: no settlement can ever exist for the id, or it names a card as well.
        """
        ...
