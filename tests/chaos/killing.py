"""Connections that are killed again and again, by the server, for the length of a block."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, cast

import anyio

from onefate.broker.errors import Unavailable
from onefate.broker.ledger.opening import open_link
from onefate.broker.ledger.settings import BrokerSettings, Durability

EVERY_SECONDS = 0.15


@dataclass(slots=True)
class Kills:
    """What the killer has done so far."""

    rounds: int = 0
    killed: int = 0
    most_waiting: int = 0
    """The most connections with subscriptions that were ever seen at once."""


@asynccontextmanager
async def killing(
    url: str, whom: Literal["waiters", "everybody"], *, every: float = EVERY_SECONDS
) -> AsyncGenerator[Kills]:
    """Kill connections all the time: those that hold subscriptions, or all others but its own."""
    control = await open_link(BrokerSettings(url=url, durability=Durability.FAST))
    words = ("TYPE", "pubsub") if whom == "waiters" else ("SKIPME", "yes")
    kills = Kills()

    async def kill_all() -> None:
        due = anyio.current_time()
        while True:
            due = max(due + every, anyio.current_time())
            await anyio.sleep_until(due)
            try:
                listed = cast("bytes", await control.execute("CLIENT", "LIST", "TYPE", "pubsub"))
                kills.most_waiting = max(kills.most_waiting, listed.count(b"\n"))
                kills.killed += cast("int", await control.execute("CLIENT", "KILL", *words))
                kills.rounds += 1
            except Unavailable:
                continue

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(kill_all)
            yield kills
            group.cancel_scope.cancel()
    finally:
        await control.aclose()
