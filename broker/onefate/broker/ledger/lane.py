"""The durable lane: a connection of its own on which waiting for replicas holds up nobody.

`WAIT` answers for the writes of its own connection, and blocks it. So the lane makes one small
write, whose place in the replication stream is after every write acknowledged before it, and waits
for that: one wait serves everybody who asked while the one before it was running.
"""

import asyncio
from typing import Final, cast

import hiredis

from onefate.broker.errors import OnefateError
from onefate.broker.ledger.link.redis_link import RedisLink

_FIELD: Final = "lane"


class LaneLink(RedisLink):
    """A link of which blocking commands may hold up the only user."""

    async def confirmed(self, key: str, replicas: int, patience: float) -> bool:
        """Write once, and tell whether so many replicas said within the patience that they have it.

        Raises:
            Unavailable: the connection was lost, so nobody told.
        """
        wire = await self._ready()
        written, reached = await asyncio.gather(
            wire.send(("HINCRBY", key, _FIELD, 1)),
            wire.send(("WAIT", replicas, int(patience * 1000))),
        )
        if isinstance(written, hiredis.ReplyError) or isinstance(reached, hiredis.ReplyError):
            return False
        return cast("int", reached) >= replicas


class Lane:
    """Waits for replicas on behalf of a process, one wait at a time."""

    def __init__(self, link: LaneLink, key: str, replicas: int, patience: float) -> None:
        self._link = link
        self._key = key
        self._replicas = replicas
        self._patience = patience
        self._running: asyncio.Task[bool] | None = None
        self._next: asyncio.Task[bool] | None = None

    async def confirm(self) -> bool:
        """Tell whether every write acknowledged so far has reached the replicas."""
        if self._next is None:
            self._next = asyncio.create_task(self._after(self._running))
        return await asyncio.shield(self._next)

    async def aclose(self) -> None:
        """Close the connection."""
        for task in (self._running, self._next):
            if task is not None:
                task.cancel()
        await self._link.aclose()

    async def _after(self, running: asyncio.Task[bool] | None) -> bool:
        if running is not None:
            await asyncio.wait([running])
        self._running, self._next = self._next, None
        try:
            return await self._link.confirmed(self._key, self._replicas, self._patience)
        except OnefateError:
            return False
