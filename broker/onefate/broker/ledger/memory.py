"""A store inside this process: the same scripts, on fakeredis.

For users' unit tests and for platforms without a server binary. Every link that names the same
store in one process shares its data, which lives as long as the process. Not here: reconnects, a
replication id that ever changes, waiting for room, `INFO`, `ROLE` and `CONFIG`; and fakeredis's
own differences (REDIS.md 5), of which scripts must know: an empty table is an empty list to
cjson, and a script that sets a global breaks all later ones.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import ClassVar, Protocol, cast

from redis.exceptions import RedisError

from onefate.broker.ledger.errors import (
    LinkClosed,
    MissingExtra,
    ServerRefused,
    WrongLoop,
    WrongProcess,
    refused,
)
from onefate.broker.ledger.link.commands import check_shared, name_of
from onefate.broker.ledger.link.protocol import (
    Arg,
    LinkCounters,
    PushListener,
    Reply,
    Script,
    UpListener,
)
from onefate.broker.ledger.process import HERE


class _Connection(Protocol):
    """What is used of a fakeredis connection; replies come raw, as RESP3 shapes."""

    def connect(self) -> None: ...
    def disconnect(self) -> None: ...
    def send_command(self, *args: Arg) -> None: ...
    def can_read(self, timeout: float) -> bool: ...
    def read_response(self, *, disconnect_on_error: bool) -> Reply: ...


@dataclass(slots=True)
class _Store:
    """One fake server, and how to wake the links that are open on it."""

    connect: Callable[[], _Connection]
    wakes: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])


class MemoryLink:
    """A `Link` to a store in this process, found by its name."""

    _stores: ClassVar[dict[tuple[int, str], _Store]] = {}
    _stores_lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(
        self, name: str, store: _Store, commands: _Connection, subscription: _Connection
    ) -> None:
        self._store = store
        self._name = name
        self._pid = HERE.id
        self._loop = asyncio.get_running_loop()
        self._counters = LinkCounters(connects=1)
        self._commands = commands
        self._subscription = subscription
        self._listeners: list[PushListener] = []
        self._closed = False
        self._store.wakes.append(self._wake)

    @classmethod
    async def open(cls, name: str = "") -> "MemoryLink":
        """Return a link to the store of that name, which is made when it is new.

        Raises:
            MissingExtra: fakeredis is not installed.
        """
        return cls(name, *await asyncio.to_thread(cls._connect, name))

    @property
    def topology(self) -> str:
        """The store itself; it never changes while the process lives."""
        return f"memory:{self._pid}:{self._name}"

    @property
    def counters(self) -> LinkCounters:
        """The live counters of this link."""
        return self._counters

    async def execute(self, *args: Arg) -> Reply:
        """Make one attempt at a command; see `Link.execute`."""
        self._check_caller()
        check_shared(args)
        await asyncio.sleep(0)
        reply = self._perform(args)
        self._deliver()
        if isinstance(reply, ServerRefused):
            raise reply
        return reply

    async def run(self, script: Script, keys: Sequence[Arg], args: Sequence[Arg]) -> Reply:
        """Run a script by digest, else by source; see `Link.run`."""
        words = (len(keys), *keys, *args)
        try:
            return await self.execute("EVALSHA", script.sha, *words)
        except ServerRefused as refusal:
            if refusal.kind != "NOSCRIPT":
                raise
        self._counters.script_loads += 1
        return await self.execute("EVAL", script.source, *words)

    async def pipeline(self, commands: Sequence[Sequence[Arg]]) -> list[Reply | ServerRefused]:
        """Run commands as neighbours; see `Link.pipeline`."""
        self._check_caller()
        for command in commands:
            check_shared(command)
        await asyncio.sleep(0)
        replies = [self._perform(command) for command in commands]
        self._deliver()
        return replies

    async def subscribe(self, channel: str) -> None:
        """Subscribe at once; see `Link.subscribe`."""
        self._check_caller()
        self._subscription.send_command("SUBSCRIBE", channel)
        self._receive()

    async def unsubscribe(self, channel: str) -> None:
        """Unsubscribe at once; see `Link.unsubscribe`."""
        self._check_caller()
        self._subscription.send_command("UNSUBSCRIBE", channel)
        self._receive()

    def on_push(self, fn: PushListener) -> None:
        """Call `fn` for every message; see `Link.on_push`."""
        self._listeners.append(fn)

    def on_up(self, fn: UpListener) -> None:
        """Accept `fn`; nothing here is ever lost, so nothing comes up again."""

    async def aclose(self) -> None:
        """Leave the store; its data stays for the process's next link."""
        if not self._closed:
            self._closed = True
            self._store.wakes.remove(self._wake)
            self._commands.disconnect()
            self._subscription.disconnect()

    @classmethod
    def _connect(cls, name: str) -> tuple[_Store, _Connection, _Connection]:
        """Make what a link needs; off the loop, as fakeredis reads files when it begins."""
        store = cls._named(name)
        return store, store.connect(), store.connect()

    @classmethod
    def _named(cls, name: str) -> _Store:
        with cls._stores_lock:
            key = (HERE.id, name)
            if key not in cls._stores:
                cls._stores[key] = _Store(_connector())
            return cls._stores[key]

    def _check_caller(self) -> None:
        if HERE.id != self._pid:
            raise WrongProcess(self._pid, HERE.id)
        if asyncio.get_running_loop() is not self._loop:
            raise WrongLoop
        if self._closed:
            raise LinkClosed

    def _perform(self, command: Sequence[Arg]) -> Reply | ServerRefused:
        self._counters.commands += 1
        self._commands.send_command(*command)
        try:
            return self._commands.read_response(disconnect_on_error=False)
        except RedisError as error:
            kind: object = getattr(error, "status_code", None)
            text = f"{kind} {error}" if isinstance(kind, str) else str(error)
            return refused(text, name_of(command))

    def _deliver(self) -> None:
        """Let every link of the store, on whatever loop, hear what was just published."""
        for wake in tuple(self._store.wakes):
            wake()

    def _wake(self) -> None:
        if asyncio.get_running_loop() is self._loop:
            self._receive()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._receive)

    def _receive(self) -> None:
        while not self._closed and self._subscription.can_read(timeout=0):
            match self._subscription.read_response(disconnect_on_error=False):
                case [b"message", bytes() as channel, bytes() as payload]:
                    self._counters.pushes += 1
                    for listener in self._listeners:
                        listener(channel, payload)
                case _:
                    continue


def _connector() -> Callable[[], _Connection]:
    try:
        fakeredis = vars(import_module("fakeredis"))
        import_module("lupa")
    except ImportError as cause:
        raise MissingExtra("memory://", "memory") from cause
    server: object = fakeredis["FakeServer"](version=(7, 0))

    def connect() -> _Connection:
        made = cast("_Connection", fakeredis["FakeRedisConnection"](server=server, protocol=3))
        made.connect()
        return made

    return connect
