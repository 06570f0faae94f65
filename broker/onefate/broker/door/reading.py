"""What a session is asked: positions, rows, fates, cards; each answer is of one instant.

Reads that are history by nature (`transitions`, `gaps`, `why`) load history; the others do not.
"""

from onefate.broker.door.base import Doors
from onefate.broker.session import cards, frames, rows, settle, work
from onefate.broker.session.cards import CardRow
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.available import available, available_journeys, explain
from onefate.broker.session.reads.decisions import decisions
from onefate.broker.session.reads.rows import Available, DecisionRow, Explanation, JourneyRow
from onefate.broker.session.reads.slice import Slice, why
from onefate.broker.session.state import Gap, Pending, Receipt, Record, State, Work


class ReadingDoors(Doors):
    """Reading a session."""

    async def settlement_if_known(self, fire_id: str) -> Receipt | None:
        """Give the receipt of a fire, None while it is open.

        Raises:
            ImpossibleId: no settlement can exist under the id.
        """
        return await self._told(lambda draft: settle.settlement_if_known(draft, fire_id))

    async def awaiting_settlement(self) -> list[str]:
        """Give the ids of open fires, in fire order."""
        return await self._told(settle.awaiting_settlement)

    async def pending(self) -> list[Pending]:
        """Give the fires that wait for a state report or for their handler's completion."""
        return await self._told(lambda draft: draft.pending)

    async def state(self) -> State:
        """Give the projected state."""
        return await self._told(lambda draft: draft.state)

    async def version(self) -> int:
        """Give the count of the world's motions."""
        return await self.decide(lambda draft: draft.counters["version"])

    async def node(self) -> str:
        """Give the page the session stands on."""
        return await self.decide(lambda draft: draft.position["node"])

    async def asks(self) -> list[CardRow]:
        """Give the cards in the book, oldest first."""
        return await self._told(cards.asks)

    async def open_work(self) -> list[Work]:
        """Give the open rows of work, oldest first."""
        return await self._told(work.open_work)

    async def available(self) -> Available:
        """Give what is served here and now; each row is an offer that a fire can cite."""
        return await self._told(available)

    async def available_journeys(self) -> list[JourneyRow]:
        """Give every declared journey and whether it can be opened."""
        return await self._told(available_journeys)

    async def explain_action(self, action: str) -> Explanation:
        """Give why an action is, or is not, available.

        Raises:
            UnknownAction: the map has no such action.
        """
        return await self._told(lambda draft: explain(draft, action))

    async def decisions(self) -> list[DecisionRow]:
        """Give the choices that belong to a person, and whether each is made."""
        return await self._told(decisions)

    async def journey_plan(self, journey: str) -> list[dict[str, object]]:
        """Give a journey's steps and how each stands.

        Raises:
            UnknownJourney: the map has no such journey.
        """
        return await self._told(lambda draft: frames.journey_plan(draft, journey))

    async def journey_standing(self, journey: str) -> dict[str, object]:
        """Give how a journey stands, and the evidence.

        Raises:
            UnknownJourney: the map has no such journey.
        """
        return await self._told(lambda draft: frames.journey_standing(draft, journey))

    async def why(self, key: str) -> Slice:
        """Give what has led to a state key's value, backwards."""
        return await self.decide(lambda draft: why(draft, key))

    async def transitions(self) -> list[Record]:
        """Give every transition that is kept, oldest first."""
        return await self._told(lambda draft: [row["record"] for row in rows.every(draft)])

    async def gaps(self) -> list[Gap]:
        """Give every refused attempt and reported gap, oldest first."""
        return await self._told(_gaps)


def _gaps(draft: Draft) -> list[Gap]:
    return draft.gaps.all()
