"""What every group of a session's doors stands on: a decision that is committed as a whole."""

from collections.abc import Callable
from typing import TypeVar

from onefate.broker.session.draft import Draft
from onefate.broker.session.state import detached

T = TypeVar("T")


class Doors:
    """The base of the doors: what they hand out shares nothing with the session."""

    id: str

    async def decide(self, decision: Callable[[Draft], T], /) -> T:
        """Make one decision on the session as it stands, and commit it."""
        raise NotImplementedError

    async def _told(self, decision: Callable[[Draft], T], /) -> T:
        return detached(await self.decide(decision))
