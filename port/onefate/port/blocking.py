"""A port for plain threads: the same four doors, run on an event loop of their own thread.

Any number of threads may share one `BlockingPort`. A wait ends with its answer, or with
`TimeoutError` where the caller set a timeout; the fire is not touched by that.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from onefate.broker.door import open_session
from onefate.broker.journey import JourneyMap
from onefate.broker.ledger.broker import open_broker
from onefate.broker.ledger.settings import BrokerSettings
from onefate.broker.session.state import Receipt, Wire
from onefate.port.facts import SettledFacts
from onefate.port.options import PortOptions
from onefate.port.served import ServedPort, serve_to_agent
from onefate.port.tools import Tool


class BlockingPort:
    """A served port for threads; every method promises what `ServedPort`'s does."""

    def __init__(self, portal: BlockingPortal, port: ServedPort) -> None:
        self._portal = portal
        self._port = port

    def tools(self) -> list[Tool]:
        """Give the tool array: the same bytes for the session's life, a copy each time."""
        return self._port.tools()

    def call(self, name: str, args: object = None) -> Wire:
        """Answer a tool call at once, whatever was sent (call:never-waits)."""
        return self._portal.call(self._port.call, name, args)

    def when_settled(self, transition_id: str, *, timeout: float | None = None) -> Receipt:
        """Give the settlement of a fire once it has one.

        Raises:
            ImpossibleId: at once, for an id that no settlement can ever exist for.
            TimeoutError: `timeout` seconds are over; the fire is as it was.
        """
        return self._portal.call(self._settled_within, transition_id, timeout)

    def settled_answer(self, transition_id: str) -> SettledFacts | None:
        """Give the facts of a fire that has come to rest, None while it is open (answer:three).

        Raises:
            ImpossibleId: no settlement can ever exist for the id, or it names a card as well.
        """
        return self._portal.call(self._port.settled_answer, transition_id)

    async def _settled_within(self, transition_id: str, seconds: float | None) -> Receipt:
        with anyio.fail_after(seconds):
            return await self._port.when_settled(transition_id)


@contextmanager
def open_blocking_port(  # noqa: PLR0913 - what a session and a port are opened from
    where: str | BrokerSettings | None,
    session_id: str,
    journey_map: JourneyMap,
    options: Mapping[str, object] | None = None,
    *,
    port: PortOptions | Mapping[str, object] | None = None,
    handlers: Mapping[str, Callable[[object], object]] | None = None,
    name: str | None = None,
) -> Generator[BlockingPort]:
    """Open a broker, a session and a port on it for threads, for the length of a block.

    `handlers`, by action id, are performed in this process; each plain one in a thread of its own.

    Raises:
        BadSetting, CheckFailed, Refused, Unavailable: as `open_broker`.
        BadOption, UnknownNode, WrongPins, WrongKind: as `open_session`.
        PortOptionsError: an option of the port means nothing.
        UnknownAction: a handler is named after no action.
    """
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(open_broker(where)) as broker,
        portal.wrap_async_context_manager(
            open_session(broker, session_id, journey_map, options, name=name)
        ) as session,
    ):
        if handlers:
            portal.call(partial(session.register_handlers, "app", handlers))
        yield BlockingPort(portal, serve_to_agent(session, port))
