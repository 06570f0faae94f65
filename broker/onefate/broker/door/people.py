"""A person's doors: the only ones that write a yes (approve:spent-once; spec: graph-session §12).

Each names the person in `by`. Refusals are returned: `{ok: false, reason, explanation}`.
"""

from onefate.broker.door.base import Doors
from onefate.broker.session import approval
from onefate.broker.session.state import Wire


class PeopleDoors(Doors):
    """What people say to cards."""

    async def approve(self, ask_id: str, *, by: str, note: str | None = None) -> Wire:
        """Say yes to a card: one fire, with exactly the input shown."""
        return await self._told(lambda draft: approval.approve_ask(draft, ask_id, by=by, note=note))

    async def decline(self, ask_id: str, *, by: str, note: str | None = None) -> Wire:
        """Say no to a card, for good."""
        return await self._told(lambda draft: approval.decline_ask(draft, ask_id, by=by, note=note))

    async def revoke(
        self, ask_id: str, *, by: str, note: str | None = None, principal: str | None = None
    ) -> Wire:
        """Take back a yes that has not been used."""
        return await self._told(
            lambda draft: approval.revoke_ask(draft, ask_id, by=by, note=note, principal=principal)
        )

    async def always_approve(
        self,
        action: str,
        *,
        by: str,
        note: str | None = None,
        instance: str | None = None,
        expires_in: int | None = None,
    ) -> Wire:
        """Grant every fire of a declared action, until withdrawn or `expires_in` ms are over."""
        return await self._told(
            lambda draft: approval.always_approve(
                draft, action, by=by, note=note, instance=instance, expires_in=expires_in
            )
        )

    async def revoke_always(
        self, action: str, *, by: str, note: str | None = None, instance: str | None = None
    ) -> Wire:
        """Withdraw the grants of an action: those of one instance, or all."""
        return await self._told(
            lambda draft: approval.revoke_always_approve(
                draft, action, by=by, note=note, instance=instance
            )
        )

    async def decline_confirm(
        self, action: str, *, by: str | None = None, note: str | None = None
    ) -> Wire:
        """Relay a no about an action's oldest card; under enforcement it closes nothing."""
        return await self._told(
            lambda draft: approval.decline_confirm(draft, action, by=by, note=note)
        )
