"""The store as the ledger sees it: run a script, and again after an unknown outcome.

Theory of operation
1. Every mutating script is idempotent under its token, so an attempt whose outcome is unknown is
   repeated as it is (settle:lost-reply). Nothing is ever repeated without its token.
2. An attempt that was not sent, or that met a server which is loading or has just been demoted, did
   not happen; it is repeated too. The caller's own deadline (an anyio cancel scope) ends it.
3. The topology names the history of data being served. It is read when the link is up, right before
   an attempt, so that no write claims to know a history it was not made for (id:never-reused).
"""

import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias, TypeVar, cast

import anyio

from onefate.broker.errors import Unavailable
from onefate.broker.ledger.errors import (
    MasterDown,
    ReadOnlyReplica,
    ServerBusy,
    ServerLoading,
    ServerRefused,
)
from onefate.broker.ledger.keys import SessionKeys
from onefate.broker.ledger.link import Arg, Link, Reply
from onefate.broker.ledger.models import Kept
from onefate.broker.ledger.scripts import Call
from onefate.broker.ledger.settings import BrokerSettings, Durability

Words: TypeAlias = "list[Reply]"
T = TypeVar("T")

_PASSING: Final = (Unavailable, ReadOnlyReplica, ServerLoading, MasterDown, ServerBusy)
_FIRST: Final = 0.01
_LONGEST: Final = 1.0
_dice: Final = random.SystemRandom()
_REPLICATED: Final = (Durability.REPLICATED, Durability.STRICT)


class Store:
    """One namespace on one link."""

    def __init__(self, link: Link, settings: BrokerSettings, replicas: int = 0) -> None:
        self.link = link
        self.settings = settings
        self.replicas = replicas
        """How many replicas must have a write, in the modes that ask for it."""
        self.lane: Link = link
        """The link of writes: another one where each write waits for replicas."""
        self._clock_offset_ms: float | None = None

    def keys(self, session: str) -> SessionKeys:
        """Give the keys of a session."""
        return SessionKeys(session, self.settings.namespace)

    async def topology(self, link: Link) -> str:
        """Name the history served, once the link is up."""
        while link.counters.losses >= link.counters.connects > 0:
            await persist(lambda: link.execute("PING"))
        return link.topology

    async def read(self, call: Call) -> Words:
        """Run a script that reads, until it is answered."""
        reply = await persist(lambda: self.link.run(call.script, call.keys, call.args))
        return cast("Words", reply)

    async def write(self, make: Callable[[str], Call]) -> Words:
        """Run a script that writes, made anew with the topology of each attempt."""
        link = self.lane

        async def attempt() -> Reply:
            call = make(await self.topology(link))
            return await link.run(call.script, call.keys, call.args)

        return cast("Words", await persist(attempt))

    async def confirm(self) -> Kept:
        """Say how safe the writes acknowledged so far are, waiting for replicas where asked to."""
        mode = self.settings.durability
        if mode not in _REPLICATED:
            return Kept(mode)
        wait_ms = int(self.settings.deadline * 1000)
        try:
            reached = await self.lane.execute("WAIT", self.replicas, wait_ms)
        except (Unavailable, ServerRefused):
            return Kept(mode, confirmed=False)
        return Kept(mode, confirmed=cast("int", reached) >= self.replicas)

    async def command(self, *args: Arg) -> Reply:
        """Run one command that may be repeated, until it is answered."""
        return await persist(lambda: self.link.execute(*args))

    def heard_time(self, server_ms: int) -> None:
        """Take a time that the server just gave; the earliest arrival is the best estimate."""
        offset = server_ms - time.monotonic() * 1000
        if self._clock_offset_ms is None or offset > self._clock_offset_ms:
            self._clock_offset_ms = offset

    def now_ms(self) -> int:
        """Estimate the server's clock; never behind a time the server gave."""
        offset = self._clock_offset_ms
        return int(time.time() * 1000 if offset is None else time.monotonic() * 1000 + offset)


async def persist(attempt: Callable[[], Awaitable[T]]) -> T:
    """Repeat an idempotent attempt until it has an answer or the caller's scope is cancelled."""
    pause = _FIRST
    while True:
        try:
            return await attempt()
        except _PASSING:
            await anyio.sleep(pause * _dice.uniform(0.5, 1))
            pause = min(2 * pause, _LONGEST)


def text(reply: Reply) -> str:
    """Read a word of a reply."""
    return reply.decode() if isinstance(reply, bytes) else str(reply)


def number(reply: Reply) -> int:
    """Read a whole number of a reply, sent as one or as text."""
    return int(cast("int | bytes", reply))


def raw(reply: Reply) -> bytes:
    """Read a word of a reply as it is."""
    return cast("bytes", reply)


def words(reply: Reply) -> Sequence[Reply]:
    """Read a nested array of a reply."""
    return cast("Sequence[Reply]", reply)
