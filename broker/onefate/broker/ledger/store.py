"""The store as the ledger sees it: run a script, and again after an unknown outcome.

Theory of operation
1. Every mutating script is idempotent under its token, so an attempt whose outcome is unknown is
   repeated as it is (settle:lost-reply). Nothing is ever repeated without its token.
2. An attempt that was not sent, or that met a server which is loading or has just been demoted, did
   not happen; it is repeated too. The caller's own deadline (an anyio cancel scope) ends it.
3. The topology names the history of data being served. It is read when the link is up, right
   before an attempt, so that no write claims to know a history it was not made for. Another
   topology may have lost acknowledged writes, so the namespace and each session begin a new epoch
   of ids (id:never-reused). A process that saw an epoch pushes the record up to it.
"""

import random
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, TypeAlias, TypeVar, cast

import anyio

from onefate.broker.errors import Unavailable
from onefate.broker.ledger.codec import fields_of
from onefate.broker.ledger.errors import (
    MasterDown,
    ReadOnlyReplica,
    ServerBusy,
    ServerLoading,
)
from onefate.broker.ledger.ids import PARTITIONS
from onefate.broker.ledger.keys import SessionKeys, meta, session_keys
from onefate.broker.ledger.link import Arg, Link, Reply
from onefate.broker.ledger.models import Kept
from onefate.broker.ledger.scripts import META, VERSION, Call
from onefate.broker.ledger.settings import BrokerSettings

Words: TypeAlias = "list[Reply]"
T = TypeVar("T")

_PASSING: Final = (Unavailable, ReadOnlyReplica, ServerLoading, MasterDown, ServerBusy)
SCHEMA: Final = "1"
_FIRST: Final = 0.01
_LONGEST: Final = 1.0
_dice: Final = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class History:
    """One history of data: what the server calls it, and the least epoch of ids made in it."""

    topology: str
    epoch: int


class Lane(Protocol):
    """Whatever waits for replicas."""

    async def confirm(self) -> bool:
        """Tell whether every write acknowledged so far has reached them."""
        ...

    async def aclose(self) -> None:
        """End every wait."""
        ...


class Store:
    """One namespace on one link."""

    def __init__(self, link: Link, settings: BrokerSettings) -> None:
        self.link = link
        self.settings = settings
        self.lane: Lane | None = None
        """Waits for replicas, in the modes that ask for it."""
        self._database = settings.database
        self._kept = Kept(settings.durability)
        self.history = History("", 0)
        self.record: dict[str, str] = {}
        """The namespace record as it stands."""
        self._clock_offset_ms: float | None = None
        self._renewing = anyio.Lock()

    def keys(self, session: str) -> SessionKeys:
        """Give the keys of a session."""
        return session_keys(session, self.settings.namespace, self._database)

    async def history_now(self) -> History:
        """Name the history served, once the link is up; another one begins a new epoch."""
        link = self.link
        while not self._is_up():
            await persist(lambda: link.execute("PING"))
        if not self._is_current():
            async with self._renewing:
                if not self._is_current():
                    await self._renew(link.topology)
        return self.history

    def _is_up(self) -> bool:
        counters = self.link.counters
        return counters.losses < counters.connects or not counters.connects

    def _is_current(self) -> bool:
        return bool(self.record) and self.link.topology == self.history.topology

    async def _renew(self, topology: str) -> None:
        least = self.history.epoch + 1 if self.record else 0
        wanted = (
            "partitions", str(PARTITIONS), "schema", SCHEMA, "scripts", VERSION,
        )  # fmt: skip
        call = Call(META, [meta(self.settings.namespace)], [topology, least, *wanted])
        self.record = fields_of(await self._persist(call))
        self.history = History(topology, int(self.record["epoch"]))

    async def read(self, call: Call) -> Words:
        """Run a script that reads, until it is answered."""
        return await self._persist(call)

    async def _persist(self, call: Call) -> Words:
        reply = await persist(lambda: self.link.run(call.script, call.keys, call.args))
        return cast("Words", reply)

    async def write(self, make: Callable[[History], Call]) -> Words:
        """Run a script that writes, made anew for the history of each attempt."""
        try:
            return await self._write_once(make)
        except _PASSING:
            return await _persist_again(partial(self._write_once, make))

    async def _write_once(self, make: Callable[[History], Call]) -> Words:
        known = self._is_up() and self._is_current()
        script, keys, args = make(self.history if known else await self.history_now())
        return cast("Words", await self.link.run(script, keys, args))

    async def confirm(self) -> Kept:
        """Say how safe the writes acknowledged so far are, waiting for replicas where asked to."""
        if self.lane is None or await self.lane.confirm():
            return self._kept
        return Kept(self.settings.durability, confirmed=False)

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
    try:
        return await attempt()
    except _PASSING:
        return await _persist_again(attempt)


async def _persist_again(attempt: Callable[[], Awaitable[T]]) -> T:
    pause = _FIRST
    while True:
        await anyio.sleep(pause * _dice.uniform(0.5, 1))
        pause = min(2 * pause, _LONGEST)
        with suppress(*_PASSING):
            return await attempt()


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
