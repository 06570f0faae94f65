"""Nudges of one process: one listener on the link, shared by every queue that is open here."""

from collections.abc import Sequence
from typing import Protocol

import anyio

from onefate.broker.ledger.link import Link


class Nudged(Protocol):
    """Whoever is told that there may be work."""

    def nudged(self, channel: bytes, payload: bytes) -> None:
        """Hear that a queue of the channel's partition has work, and which."""
        ...

    def reconnected(self) -> None:
        """Hear that nudges, and replies, may have been missed."""
        ...


class Nudges:
    """Who listens to which partition; a channel is subscribed while somebody does."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._listeners: dict[bytes, list[Nudged]] = {}
        link.on_push(self._pushed)
        link.on_up(self._up)

    async def join(self, listener: Nudged, channels: Sequence[str]) -> None:
        """Tell the listener of every nudge from now on; returns once it is subscribed."""
        for channel in channels:
            self._listeners.setdefault(channel.encode(), []).append(listener)
        async with anyio.create_task_group() as group:
            for channel in channels:
                group.start_soon(self._link.subscribe, channel)

    async def leave(self, listener: Nudged, channels: Sequence[str]) -> None:
        """Tell the listener nothing any more."""
        for channel in channels:
            listeners = self._listeners.get(channel.encode(), [])
            if listener in listeners:
                listeners.remove(listener)
            if not listeners:
                self._listeners.pop(channel.encode(), None)
        for channel in channels:
            if channel.encode() not in self._listeners:
                await self._link.unsubscribe(channel)

    def _pushed(self, channel: bytes, payload: bytes) -> None:
        for listener in tuple(self._listeners.get(channel, ())):
            listener.nudged(channel, payload)

    async def _up(self) -> None:
        for listener in {
            id(one): one for many in self._listeners.values() for one in many
        }.values():
            listener.reconnected()
