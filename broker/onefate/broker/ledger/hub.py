"""Wakeups: any number of waiters on one connection, and none is ever lost (wait:no-lost-wakeup).

Theory of operation
1. Register, be subscribed, then read, then wait. An announcement between the read and the wait
   finds the waiter registered; one before the subscription is seen by the read.
2. A connection that was lost may have missed announcements: once the channels are confirmed again,
   every open id is read again, on the same ordered connection, in chunks.
3. A slow sweep with jitter reads every open id too: it heals what nobody thought of, and counts it.
4. A partition's channel stays subscribed for a while after its last waiter. A fire recorded here in
   the meantime is expected before it is sent, so the read of rule 1 is not needed for it as long as
   the connection has not been lost since.
"""

import asyncio
import logging
import random
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast

import anyio

from onefate.broker.errors import Forgotten, NeverExisted, OnefateError
from onefate.broker.ledger import scripts
from onefate.broker.ledger.codec import fields_of, fire_from, settlement_from
from onefate.broker.ledger.errors import LinkClosed
from onefate.broker.ledger.fates import absent
from onefate.broker.ledger.ids import FireId
from onefate.broker.ledger.keys import SessionKeys
from onefate.broker.ledger.models import Fire, Settlement
from onefate.broker.ledger.store import Store, raw, text

EventListener: TypeAlias = Callable[[bytes], None]
_Way: TypeAlias = Literal["pushed", "healed_by_read", "healed_by_resync", "healed_by_sweep"]

CHUNK: Final = 500
SWEEP: Final = 30.0
LINGER: Final = 60.0
EXPECTED: Final = 4096
_dice: Final = random.SystemRandom()
logger = logging.getLogger(__name__)


@dataclass(slots=True)
class HubCounters:
    """How waits ended; only ever grows."""

    waits: int = 0
    pushed: int = 0
    healed_by_read: int = 0
    healed_by_resync: int = 0
    healed_by_sweep: int = 0

    def count(self, way: _Way) -> None:
        """Count one wait that ended in this way."""
        setattr(self, way, getattr(self, way) + 1)


@dataclass(slots=True, eq=False)
class _Entry:
    """One open id that somebody waits for."""

    keys: SessionKeys
    number: str
    waiters: int = 0
    expected: tuple[str, int] | None = None
    """The id recorded here, and how many connections had been lost when it was expected."""
    event: asyncio.Event = field(default_factory=asyncio.Event)
    stored: bytes | None = None


@dataclass(slots=True, eq=False)
class _Watch:
    """One partition's channel."""

    channel: str
    entries: dict[str, _Entry] = field(default_factory=dict[str, _Entry])
    listeners: dict[str, list[EventListener]] = field(
        default_factory=dict[str, list[EventListener]]
    )
    subscribed: bool = False
    idle_since: float = 0.0

    def entry(self, address: str, keys: SessionKeys, number: str) -> _Entry:
        """Give the entry of one id of a session, made when it is new."""
        entry = self.entries.get(address)
        if entry is None:
            entry = self.entries[address] = _Entry(keys, number)
        return entry


class Hub:
    """The waiters of one process, on one link."""

    def __init__(self, store: Store, sweep: float = SWEEP, linger: float = LINGER) -> None:
        self.counters = HubCounters()
        self._store = store
        self._sweep = sweep
        self._linger = linger
        self._watches: dict[bytes, _Watch] = {}
        self._expected: OrderedDict[str, _Watch] = OrderedDict()
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        store.link.on_push(self._pushed)
        store.link.on_up(self.resync)

    def start(self) -> None:
        """Begin to sweep."""
        self._task = asyncio.create_task(self._sweeping(), name="onefate hub sweep")

    async def aclose(self) -> None:
        """End the sweep, and every wait that is still open: its broker is closed."""
        self._closed = True
        for entry in self._entries():
            entry.event.set()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def _check_open(self) -> None:
        if self._closed:
            raise LinkClosed

    @property
    def open(self) -> int:
        """Count the ids somebody waits for."""
        return sum(one.waiters > 0 for one in self._entries())

    def expect(self, session: str, fire: FireId) -> str:
        """Keep the announcement of a fire that is about to be recorded here.

        Where its partition is subscribed already nothing can be missed, so a wait for it needs no
        read; else this does nothing. Gives what `forget` takes.
        """
        keys, number = self._store.keys(session), str(fire.number)
        watch = self._watches.get(keys.partition.wake.encode())
        address = f"{session}:{number}"
        if watch is None or not watch.subscribed:
            return address
        entry = watch.entry(address, keys, number)
        entry.expected = (str(fire), self._store.link.counters.losses)
        self._expected[address] = watch
        if len(self._expected) > EXPECTED:
            self.forget(next(iter(self._expected)))
        return address

    def forget(self, address: str) -> None:
        """Expect a fire no more."""
        watch = self._expected.pop(address, None)
        entry = watch.entries.get(address) if watch is not None else None
        if watch is None or entry is None:
            return
        entry.expected = None
        if not entry.waiters:
            del watch.entries[address]

    async def look(self, session: str, fire_id: str) -> Settlement | Fire:
        """Read what stands: the settlement, or the open fire.

        Raises:
            ImpossibleId: no settlement can exist under the id.
        """
        parsed = FireId.parse(fire_id)
        keys = self._store.keys(session)
        number = parsed.number
        reply = await self._store.read(
            scripts.call(
                scripts.LOOK,
                scripts.LookKeys(keys.session, keys.fire(number), keys.settlement(number)),
                scripts.NoArgs(),
            )
        )
        match text(reply[0]):
            case "settled":
                settlement = settlement_from(raw(reply[1]))
                if settlement.id != fire_id:
                    raise NeverExisted(fire_id)
                return settlement
            case "open":
                fire = fire_from(session, fire_id, fields_of(reply[1:]))
                if fire.action != parsed.action:
                    raise NeverExisted(fire_id)
                if fire.status != "open":
                    raise Forgotten(fire_id)
                return fire
            case _:
                raise absent(parsed, reply)

    async def wait(self, session: str, fire_id: str) -> Settlement:
        """Wait for the settlement; ends only with it, by cancellation, or with the broker.

        Raises:
            ImpossibleId: at once, if no settlement can exist under the id.
            LinkClosed: the broker was closed.
        """
        parsed = FireId.parse(fire_id)
        keys, number = self._store.keys(session), str(parsed.number)
        watch = self._watch(keys.partition.wake)
        address = f"{session}:{number}"
        entry = watch.entry(address, keys, number)
        entry.waiters += 1
        self.counters.waits += 1
        try:
            if not watch.subscribed:
                await self._subscribe(watch)
            if entry.expected != (fire_id, self._store.link.counters.losses):
                found = await self.look(session, fire_id)
                if isinstance(found, Settlement):
                    if entry.stored is None:
                        self.counters.count("healed_by_read")
                        entry.event.set()
                    return found
            elif entry.event.is_set():
                self.counters.count("pushed")
            while entry.stored is None:
                await entry.event.wait()
                if entry.stored is None:
                    self._check_open()
                    entry.event.clear()
                    fetched = await self._fetch(entry)
                    entry.stored = entry.stored or fetched
            settlement = settlement_from(entry.stored)
            if settlement.id != fire_id:
                raise NeverExisted(fire_id)
            return settlement
        finally:
            entry.waiters -= 1
            if not entry.waiters:
                self._expected.pop(address, None)
                watch.entries.pop(address, None)
                watch.idle_since = time.monotonic()

    async def listen(self, session: str, listener: EventListener) -> Callable[[], None]:
        """Call the listener for every event announced on a session; gives the way to stop it."""
        watch = self._watch(self._store.keys(session).partition.wake)
        listeners = watch.listeners.setdefault(session, [])
        listeners.append(listener)

        def stop() -> None:
            listeners.remove(listener)
            if not listeners and watch.listeners.get(session) is listeners:
                del watch.listeners[session]
            watch.idle_since = time.monotonic()

        try:
            if not watch.subscribed:
                await self._subscribe(watch)
        except BaseException:
            stop()
            raise
        return stop

    async def resync(self) -> None:
        """Read every open id again: announcements may have been missed."""
        await self._read_all("healed_by_resync")

    def _entries(self) -> Iterator[_Entry]:
        return (one for watch in self._watches.values() for one in watch.entries.values())

    def _watch(self, channel: str) -> _Watch:
        name = channel.encode()
        watch = self._watches.get(name)
        if watch is None:
            watch = self._watches[name] = _Watch(channel)
        return watch

    async def _subscribe(self, watch: _Watch) -> None:
        await self._store.link.subscribe(watch.channel)
        watch.subscribed = True

    async def _fetch(self, entry: _Entry) -> bytes | None:
        return cast(
            "bytes | None", await self._store.command("GET", entry.keys.settlement(entry.number))
        )

    def _pushed(self, channel: bytes, payload: bytes) -> None:
        watch = self._watches.get(channel)
        if watch is None:
            return
        head, _, body = payload.partition(b"\n")
        name = head[1:].decode()
        if head[:1] == b"E":
            for listener in tuple(watch.listeners.get(name, ())):
                listener(body)
        elif (entry := watch.entries.get(name)) is not None:
            self._wake(entry, body or None, "pushed")

    def _wake(self, entry: _Entry, stored: bytes | None, way: _Way) -> None:
        if entry.waiters and not entry.event.is_set():
            self.counters.count(way)
        entry.stored = entry.stored or stored
        entry.event.set()

    async def _read_all(self, way: _Way) -> None:
        entries = [one for one in self._entries() if one.waiters]
        for start in range(0, len(entries), CHUNK):
            await self._read_chunk(entries[start : start + CHUNK], way)

    async def _read_chunk(self, entries: Iterable[_Entry], way: _Way) -> None:
        waiting = [entry for entry in entries if entry.stored is None]
        if not waiting:
            return
        keys = [entry.keys.settlement(entry.number) for entry in waiting]
        found = cast("list[bytes | None]", await self._store.command("MGET", *keys))
        for entry, stored in zip(waiting, found, strict=True):
            if stored is not None:
                self._wake(entry, stored, way)

    async def _sweeping(self) -> None:
        while True:
            await anyio.sleep(self._sweep * _dice.uniform(0.75, 1.25))
            try:
                await self._read_all("healed_by_sweep")
                await self._let_go()
            except OnefateError as refused:
                logger.warning("a sweep was not finished: %s", refused)

    async def _let_go(self) -> None:
        now = time.monotonic()
        for channel, watch in list(self._watches.items()):
            if any(one.waiters for one in watch.entries.values()) or watch.listeners:
                continue
            if now - watch.idle_since < self._linger:
                continue
            del self._watches[channel]
            for address in watch.entries:
                self._expected.pop(address, None)
            if watch.subscribed:
                await self._store.link.unsubscribe(watch.channel)
