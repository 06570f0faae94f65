"""Brokers and sessions as the chaos suite opens them: they notice a silent server soon."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio

from onefate.broker import BrokerSettings, Durability, open_broker
from onefate.broker.door import Session, open_session
from tests.door.world import OPTIONS, SHOP


def quick(url: str) -> BrokerSettings:
    return BrokerSettings(
        url=url, durability=Durability.FAST, heartbeat=0.1, deadline=0.5, patience=20
    )


@asynccontextmanager
async def shop(url: str, session_id: str, *, name: str | None = None) -> AsyncGenerator[Session]:
    """A door on the shop's session, over a connection of its own."""
    async with (
        open_broker(quick(url)) as broker,
        open_session(broker, session_id, SHOP, OPTIONS, name=name) as session,
    ):
        yield session


async def until(true: Callable[[], bool]) -> None:
    """Return once something is true of this process."""
    with anyio.fail_after(30):
        while not true():  # noqa: ASYNC110 - what it asks tells nobody of its changes
            await anyio.sleep(0.005)
