"""A session as one principal may use it: three doors, the principal fixed.

A view reaches no person's door and no report of state, whatever the caller says.
"""

from dataclasses import dataclass, replace
from typing import Literal

from onefate.broker.door.app import AppDoors
from onefate.broker.session.attempt import FireOptions
from onefate.broker.session.state import Wire

Actor = Literal["human", "agent", "system"]
_PRINCIPALS: dict[Actor, Literal["user", "agent", "system"]] = {
    "human": "user",
    "agent": "agent",
    "system": "system",
}


@dataclass(frozen=True, slots=True)
class PrincipalView:
    """Fires, moves and gaps of one principal."""

    _session: AppDoors
    actor: Actor

    @property
    def principal(self) -> Literal["user", "agent", "system"]:
        """The word its rows are filed under."""
        return _PRINCIPALS[self.actor]

    async def fire(self, action: str, options: FireOptions | None = None) -> Wire:
        """Attempt an action as this principal; another source in the options does not count."""
        return await self._session.fire(
            action, replace(options or FireOptions(), source=self.principal)
        )

    async def sync(self, page: str, *, stimulus: str = "navigation") -> Wire:
        """Report a page as this principal."""
        return await self._session.sync(page, stimulus=stimulus, principal=self.principal)

    async def report_gap(self, gap: Wire) -> None:
        """Note a gap as this principal."""
        await self._session.report_gap(gap, principal=self.principal)
