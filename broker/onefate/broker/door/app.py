"""The app's doors: what it reports, shows, moves, fires and works on (graph-session §8 to §13).

Every door decides on the session as it stands and commits as a whole. Refusals are returned with
`ok: false` and a reason; only ids and names that mean nothing raise.
"""

from collections.abc import Mapping, Sequence

from onefate.broker.door.base import Doors
from onefate.broker.door.orders import check_input
from onefate.broker.performing.running import fire_here
from onefate.broker.session import acknowledge, frames, gaps, motion, outcomes, registry, work
from onefate.broker.session.attempt import FireOptions
from onefate.broker.session.fire import fire
from onefate.broker.session.frames import FrameStatus
from onefate.broker.session.outcomes import Rejection
from onefate.broker.session.report import update_state
from onefate.broker.session.state import ABSENT, Wire


class AppDoors(Doors):
    """What an app says and does."""

    @property
    def largest_input(self) -> int:
        """How many bytes of JSON the input of one fire may have."""
        raise NotImplementedError

    async def fire(self, action: str, options: FireOptions | None = None) -> Wire:
        """Attempt an action; accepted, its handler runs later, and never before this returns.

        Raises:
            NotJson, TooLarge: the input cannot be kept; nothing was done.
        """
        if options is not None and options.payload is not ABSENT:
            check_input(options.payload, self.largest_input)
        return await self._told(lambda draft: fire(draft, action, options))

    async def update_state(
        self,
        delta: Mapping[str, object],
        *,
        transition_id: str | None = None,
        stimulus: str | None = None,
        principal: str | None = None,
    ) -> Wire:
        """Report what has changed; made inside a handler, the report belongs to its fire.

        A bare report settles a fire only where exactly one awaits just what it names (departure 1).
        """
        inside = fire_here(self.id)
        return await self._told(
            lambda draft: update_state(
                draft,
                delta,
                transition_id=transition_id,
                stimulus=stimulus,
                principal=principal,
                inside=inside,
            )
        )

    async def observe_effect(self, fire_id: str, report: Wire) -> Wire:
        """Take an outside source's word: `{source, status, evidenceRef?}`."""
        return await self._told(lambda draft: outcomes.observe_effect(draft, fire_id, report))

    async def reject(self, fire_id: str, outcome: Rejection | None = None) -> None:
        """Take a fire back; a handler that has not started never will.

        Raises:
            NotAFire: nobody fired that row.
            NothingToReject: no such fire, or it has come to nothing already.
        """
        await self.decide(lambda draft: outcomes.reject(draft, fire_id, outcome))

    async def sync(
        self, page: str, *, stimulus: str = "navigation", principal: str | None = None
    ) -> Wire:
        """Report which page the app is on."""
        return await self._told(
            lambda draft: motion.sync(draft, page, stimulus=stimulus, principal=principal)
        )

    async def observe_focus(self, node: str, *, principal: str = "unknown") -> None:
        """Report what is looked at.

        Raises:
            UnknownNode: the map has no such node on this page.
        """
        await self.decide(lambda draft: motion.observe_focus(draft, node, principal=principal))

    async def show(self, node: str) -> None:
        """Show a node; a tab in place of its siblings.

        Raises:
            UnknownNode: the map has no such node.
        """
        await self.decide(lambda draft: registry.show(draft, node))

    async def set_visible(self, node: str, *, visible: bool) -> None:
        """Report whether a node is visible.

        Raises:
            UnknownNode: the map has no such node.
        """
        await self.decide(lambda draft: registry.set_visible(draft, node, visible=visible))

    async def begin_work(
        self, label: str | None = None, *, transition_id: str | None = None
    ) -> Wire:
        """Open a row of work, `{workId}`; it settles nothing, and `done` closes it."""
        inside = fire_here(self.id)
        return await self._told(
            lambda draft: work.begin_work(draft, label, transition_id=transition_id, inside=inside)
        )

    async def done(self, work_id: str, error: object = None) -> None:
        """Close a row of work; the first close counts."""
        await self.decide(lambda draft: work.done(draft, work_id, error))

    async def report_gap(self, gap: Wire, *, principal: str = "agent") -> None:
        """Note what somebody wanted and the app does not offer."""
        await self.decide(lambda draft: gaps.report_gap(draft, gap, principal))

    async def acknowledge_stale(
        self,
        action: str,
        keys: Sequence[str] = (),
        *,
        offer_id: str | None = None,
        by: str = "agent",
    ) -> Wire:
        """Note that what went stale has been seen, `{cleared, acknowledgementId}`."""
        return await self._told(
            lambda draft: acknowledge.acknowledge_stale(
                draft, action, keys, offer_id=offer_id, by=by
            )
        )

    async def commit_journey(
        self, journey: str, *, source: str = "agent", expected_version: int | None = None
    ) -> Wire:
        """Open a journey's frame."""
        return await self._told(
            lambda draft: frames.commit_journey(
                draft, journey, source=source, expected_version=expected_version
            )
        )

    async def leave_journey(self, *, reason: FrameStatus | None = None) -> Wire | None:
        """Close the open frame and give it; None where none is open."""
        return await self._told(lambda draft: frames.leave_journey(draft, reason=reason))
