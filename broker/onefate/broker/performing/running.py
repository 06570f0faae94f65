"""The fire whose handler is running here: what a handler may know and say while it runs.

The fire is known by a context variable, so it holds through awaits, in tasks the handler starts and
in the thread of a plain function; two handlers that run at once never see each other's fire.
"""

from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeAlias

import anyio.from_thread

from onefate.broker.performing.errors import NotInHandler

Report: TypeAlias = Callable[[Mapping[str, object]], Awaitable[object]]

_running: ContextVar["Running | None"] = ContextVar("onefate_running", default=None)


@dataclass(frozen=True, slots=True)
class Running:
    """The fire that a handler performs; `fire_id` is also its idempotency key."""

    fire_id: str
    session: str
    action: str
    principal: str
    attempt: int
    worker: str
    report: Report = field(repr=False, compare=False)
    """Reports what changed, as this fire's."""


def fire_here(session: str) -> str | None:
    """Give the fire of this session whose handler is running here, None where there is none."""
    running = _running.get()
    return running.fire_id if running is not None and running.session == session else None


def current() -> Running:
    """Give the fire whose handler is running here.

    Raises:
        NotInHandler: no handler is running here.
    """
    running = _running.get()
    if running is None:
        raise NotInHandler
    return running


async def report(delta: Mapping[str, object]) -> object:
    """Report what the running handler has changed; the report is its fire's, and no neighbour's.

    Raises:
        NotInHandler: no handler is running here.
        OnefateError: the report could not be taken.
    """
    return await current().report(delta)


def report_from_thread(delta: Mapping[str, object]) -> object:
    """Do the same as `report`, from a handler that is a plain function.

    Raises:
        NotInHandler: no handler is running here.
        OnefateError: the report could not be taken.
    """
    return anyio.from_thread.run(report, delta)


@contextmanager
def running(fire: Running) -> Generator[None, None, None]:
    """Make `fire` the one whose handler runs within the block."""
    token = _running.set(fire)
    try:
        yield
    finally:
        _running.reset(token)
