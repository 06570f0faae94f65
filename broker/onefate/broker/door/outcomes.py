"""Where handlers' outcomes go: each is one decision on the session, made by the claim's holder."""

import json
import logging
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from onefate.broker.door.kept import Performed
from onefate.broker.journey.values import bounded
from onefate.broker.ledger.claims import Claim
from onefate.broker.ledger.faults import StaleFence
from onefate.broker.session.draft import Draft
from onefate.broker.session.outcomes import handler_returned, handler_threw
from onefate.broker.session.raised import raised
from onefate.broker.session.state import Wire

logger = logging.getLogger(__name__)
T = TypeVar("T")


class Concluding(Protocol):
    """A session that takes outcomes."""

    async def conclude(self, decision: Callable[[Draft], T], performed: Performed) -> T:
        """Decide as the worker that performed a fire."""
        ...

    async def update_state(self, delta: Mapping[str, object]) -> Wire:
        """Take a report; made inside a handler it belongs to its fire."""
        ...


class SessionOutcomes:
    """The outcomes of fires of one session."""

    def __init__(self, session: Concluding) -> None:
        self._session = session

    async def returned(self, claim: Claim, value: object) -> None:
        """Say what the handler returned; what JSON cannot carry is kept as far as it can be."""
        kept = _storable(value)
        await self._conclude(claim, lambda draft: handler_returned(draft, claim.fire_id, kept))

    async def threw(self, claim: Claim, error: Exception) -> None:
        """Say that the handler failed."""
        told = raised(error)
        await self._conclude(claim, lambda draft: handler_threw(draft, claim.fire_id, told))

    async def report(self, claim: Claim, delta: Mapping[str, object]) -> object:
        """Report what the running handler has changed."""
        del claim
        return await self._session.update_state(delta)

    async def _conclude(self, claim: Claim, decision: Callable[[Draft], None]) -> None:
        entry = claim.entry if claim.repeatable else None
        try:
            await self._session.conclude(decision, Performed(claim.fire_id, claim.fence, entry))
        except StaleFence:
            logger.warning("another worker holds this fire now", extra={"fire": claim.fire_id})


def _storable(value: object) -> object:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return bounded(value)
    return value
