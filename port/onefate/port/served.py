"""A port as it is served: tools, calls and the two settlement doors over one session's door.

It keeps no state. Every answer is decided on the session as it stands, so any number of ports on
one session tell the same truth (answer:one-truth).
"""

import logging
from collections.abc import Callable, Mapping
from typing import Final, Protocol, TypeVar

import anyio

from onefate.broker.errors import ImpossibleId, Refused, Unavailable
from onefate.broker.journey import JourneyMap
from onefate.broker.session.draft import Draft
from onefate.broker.session.options import SessionOptions
from onefate.broker.session.state import Receipt, Wire
from onefate.port import texts
from onefate.port.arguments import Arguments
from onefate.port.call import call
from onefate.port.did_it_work import fire_named
from onefate.port.facts import SettledFacts, settled_facts
from onefate.port.failed import failed
from onefate.port.fold import folded
from onefate.port.options import PortOptions, port_options
from onefate.port.tools import Port, Tool

T = TypeVar("T")
logger = logging.getLogger(__name__)
PATIENCE: Final = 30.0
"""Seconds after which a call says that the store does not answer."""


class SessionDoor(Protocol):
    """What a port needs of a session: its map, decisions that commit, and waits."""

    @property
    def map(self) -> JourneyMap:
        """The compiled map of the session."""
        ...

    @property
    def options(self) -> SessionOptions:
        """The options the session was made with."""
        ...

    @property
    def largest_input(self) -> int:
        """How many bytes of JSON one call may bring."""
        ...

    async def decide(self, decision: Callable[[Draft], T], /) -> T:
        """Decide on the session as it stands and commit what was decided, as a whole."""
        ...

    async def when_settled(self, transition_id: str) -> Receipt:
        """Give the settlement of a fire once it has one.

        Raises:
            ImpossibleId: at once, for an id that no settlement can ever exist for.
        """
        ...

    async def in_flight(self, transition_id: str) -> Mapping[str, object] | None:
        """Give what is known of a fire that is open; None where nothing is."""
        ...


def serve_to_agent(
    session: SessionDoor,
    options: PortOptions | Mapping[str, object] | None = None,
    *,
    patience: float = PATIENCE,
) -> "ServedPort":
    """Serve a session to an agent: its tools, its calls, and both settlement doors.

    `patience` is how many seconds a call may take when the store does not answer.

    Raises:
        PortOptionsError: an option that means nothing.
    """
    read = options if isinstance(options, PortOptions) else port_options(dict(options or {}))
    return ServedPort(session, read, patience=patience)


class ServedPort:
    """What an agent or a relay holds of a session.

    Safe to use from any number of tasks at once; a cancelled call leaves behind either nothing or
    everything that it decided.
    """

    def __init__(
        self,
        door: SessionDoor,
        options: PortOptions | None = None,
        *,
        patience: float = PATIENCE,
    ) -> None:
        self._door = door
        self._patience = patience
        self._port = Port(door.map, door.options, options, largest_input=door.largest_input)
        if door.options.enforced and not self._port.gated:
            logger.warning(
                "the session requires a person's approval, and a port that serves %s is not bound "
                "by it: it asks, and its confirm fires",
                self._port.options.source,
            )

    def tools(self) -> list[Tool]:
        """Give the tool array: the same bytes for the session's life, a copy each time."""
        return self._port.tools()

    @property
    def tool_bytes(self) -> bytes:
        """The tool array in its canonical bytes."""
        return self._port.tool_bytes

    async def call(self, name: str, args: object = None) -> Wire:
        """Answer a tool call at once, whatever was sent (call:never-waits).

        A session that cannot be reached within the port's patience, or that cannot take the call,
        is an answer, too.
        """
        with anyio.move_on_after(self._patience):
            try:
                return await self._answer(name, args)
            except Unavailable as error:
                logger.warning("a call was not answered: %s", error)
            except Refused as error:
                logger.error("a call could not be taken: %s", error)  # noqa: TRY400 - told in one line
                return {**failed("STORE_REFUSED"), "why": texts.STORE_REFUSED}
        return {**failed("STORE_UNAVAILABLE"), "why": texts.STORE_UNAVAILABLE}

    async def _answer(self, name: str, args: object) -> Wire:
        answer, open_fire = await self._door.decide(lambda draft: self._decided(draft, name, args))
        evidence = await self._evidence(open_fire)
        return {**answer, "evidence": dict(evidence)} if evidence else answer

    async def _evidence(self, open_fire: str | None) -> Mapping[str, object] | None:
        """Give what is known of a fire in flight; nothing of one that has settled meanwhile."""
        if open_fire is None:
            return None
        try:
            return await self._door.in_flight(open_fire)
        except ImpossibleId:
            return None

    def _decided(self, draft: Draft, name: str, args: object) -> tuple[Wire, str | None]:
        """Answer, and name the fire whose being open was answered."""
        answer = call(draft, self._port, name, args)
        if answer.get("judgment") != "still-pending":
            return answer, None
        return answer, fire_named(draft, Arguments.of(args).text("transitionId") or "")

    async def fold(self, answer: Wire) -> Wire:
        """Tell an answer of `call` again with what is known of its fire now (see `fold`)."""
        return await self._door.decide(lambda draft: folded(draft, self._port, answer))

    async def when_settled(self, transition_id: str) -> Receipt:
        """Give the settlement of a fire once it has one; ends otherwise only by cancellation.

        Raises:
            ImpossibleId: at once, for an id that no settlement can ever exist for.
        """
        return await self._door.when_settled(transition_id)

    async def settled_answer(self, transition_id: str) -> SettledFacts | None:
        """Give the facts of a fire that has come to rest, None while it is open (answer:three).

        Raises:
            ImpossibleId: no settlement can ever exist for the id, or it names a card as well.
        """
        return await self._door.decide(lambda draft: settled_facts(draft, transition_id))
