"""`onefate port` and `onefate worker`: processes that serve one session until they are told to end.

Both say `ready …` in one line once they serve, end in good order on SIGTERM, and may be killed at
any time.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

import anyio
from cyclopts import Parameter

from onefate.broker.door import Session, attach_session, open_session
from onefate.broker.door.outcomes import SessionOutcomes
from onefate.broker.door.queues import queue_name
from onefate.broker.ledger.broker import Broker, open_broker
from onefate.broker.performing import Worker
from onefate.port import serve_to_agent
from onefate.port.lines import listen as listen_at
from onefate.port.lines import parse_address, serve_listener
from onefate.workers.cli.store import DEFAULT_STORE, StoreFlags
from onefate.workers.handlers import AppHandlers, load_handlers
from onefate.workers.hosting import DONE, serve_until_stopped
from onefate.workers.mapfile import load_map, read_options

Leash: TypeAlias = Annotated[bool, Parameter(negative="", show=False)]


@Parameter(name="*")
@dataclass(frozen=True)
class Served:
    """The session that a process serves."""

    map: Path
    """The map file."""
    session: str
    """The session's id."""
    name: str
    """Who this process is; no two processes of a kind share one."""
    options: Annotated[Path | None, Parameter(show_default=False)] = None
    """A JSON file of the session's options, used when it is created."""


async def port(
    *, served: Served, listen: str, store: StoreFlags = DEFAULT_STORE, leash: Leash = False
) -> int:
    """Serve a port of one session over lines of JSON.

    Args:
        served: Which session.
        listen: unix:PATH or tcp:HOST:PORT.
        store: Where it is kept.
        leash: End when the standard input does.
    """
    address = parse_address(listen)
    code = DONE
    async with open_broker(store.settings()) as broker, _session(broker, served) as session:
        listener, reached = await listen_at(address)
        async with listener, anyio.create_task_group() as group:
            group.start_soon(serve_listener, serve_to_agent(session), listener)
            code = await serve_until_stopped(str(reached), leash=leash)
            group.cancel_scope.cancel()
    return code


async def worker(  # noqa: PLR0913 - the flags of the command
    *,
    served: Served,
    handlers: str,
    queue: str = "work",
    concurrency: int = 16,
    store: StoreFlags = DEFAULT_STORE,
    leash: Leash = False,
) -> int:
    """Perform the fires of one session with an app's handlers.

    On SIGTERM what runs is finished, and nothing more is started. The actions stay wired: fires
    wait in the queue for the next worker.

    Args:
        served: Which session.
        handlers: module:attribute, a mapping of functions by action id.
        queue: Workers of one queue share the session's work.
        concurrency: How many handlers run at once.
        store: Where it is kept.
        leash: End when the standard input does.
    """
    functions = load_handlers(handlers)
    shared = queue_name(queue, served.session)
    code = DONE
    async with (
        open_broker(store.settings()) as broker,
        _session(broker, served) as session,
        broker.queue(shared, served.name, session=served.session) as work,
        anyio.create_task_group() as group,
    ):
        performing = Worker(
            work,
            SessionOutcomes(session),
            AppHandlers(functions),
            foresee=session.foresee,
            concurrency=concurrency,
        )
        await group.start(performing.run)
        await session.wire(shared, list(functions), queue=shared)
        await session.flush()
        code = await serve_until_stopped(served.name, leash=leash)
        performing.drain()
    return code


@asynccontextmanager
async def _session(broker: Broker, served: Served) -> AsyncGenerator[Session, None]:
    """Hold the session: created with the options given, or else as whoever created it chose."""
    journey_map = load_map(served.map)
    options: Mapping[str, object] | None = None
    if served.options is not None:
        options = read_options(served.options)
    elif await broker.pins(served.session) is None:
        options = {}
    opened = (
        attach_session(broker, served.session, journey_map, name=served.name)
        if options is None
        else open_session(broker, served.session, journey_map, options, name=served.name)
    )
    async with opened as session:
        yield session
