"""Where handlers' outcomes go: the plain ledger, or a session over a map."""

import logging
from collections.abc import Mapping
from typing import cast

from onefate.broker.journey import error_text, returned_failure
from onefate.broker.ledger.broker import Broker
from onefate.broker.ledger.claims import Claim
from onefate.broker.ledger.faults import NotJson, StaleFence, TooDeep, TooLarge
from onefate.broker.ledger.models import Json, JsonObject, Outcome, performed, refused

logger = logging.getLogger(__name__)


class LedgerDoor:
    """Outcomes of fires of plain ledgers: a return settles as performed, a failure as refused.

    An object whose `ok` is exactly false is a failure that was returned. What a handler returns and
    JSON cannot carry is left out of the settlement, and logged.
    """

    def __init__(self, broker: Broker, worker: str) -> None:
        self._broker = broker
        self._worker = worker

    async def returned(self, claim: Claim, value: object) -> None:
        """Settle with what the handler returned."""
        failure = returned_failure(value)
        if failure is not None:
            await self._settle(claim, refused(error_text(failure.reason)))
            return
        try:
            kept = () if value is None else (cast("Json", value),)
            await self._settle(claim, performed(*kept))
        except (NotJson, TooDeep, TooLarge) as problem:
            logger.warning("a handler's return was not kept", extra={"why": str(problem)})
            await self._settle(claim, performed())

    async def threw(self, claim: Claim, error: Exception) -> None:
        """Settle as refused with the error's text."""
        await self._settle(claim, refused(error_text(error)))

    async def report(self, claim: Claim, delta: Mapping[str, object]) -> object:
        """Keep the report beside the fire."""
        fact = cast("JsonObject", {"report": dict(delta)})
        await self._broker.ledger(claim.session).note(claim.fire_id, fact, by=self._worker)
        return None

    async def _settle(self, claim: Claim, outcome: Outcome) -> None:
        entry = claim.entry
        try:
            settled = await self._broker.ledger(claim.session).settle(
                claim.fire_id,
                outcome,
                by=self._worker,
                fence=claim.fence,
                entry=entry if claim.repeatable else None,
            )
        except StaleFence:
            logger.warning("another worker holds this fire now", extra={"fire": claim.fire_id})
            return
        if not settled.won:
            logger.info("the fire had settled before", extra={"fire": claim.fire_id})
