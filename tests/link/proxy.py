"""A server in between that breaks as it is told, at the instant it is told.

    async with Proxy(server.socket) as proxy:
        link = await RedisLink.open(SingleNode(proxy.endpoint))
        proxy.lose_reply(b"SET")      # the next SET is performed; its reply never arrives
        proxy.cut()                   # every connection ends now
        proxy.hold() / proxy.go_on()  # replies wait / leave, in order
        proxy.swallow()               # a black hole: bytes vanish both ways, connections stay
        proxy.close_door() / await proxy.open_door()  # nobody listens / somebody does again
    proxy.lead_to(other.socket)   # connections from now on lead to another server

Everything is event driven: `await proxy.connected(n)` returns once n connections were accepted.
"""

import asyncio
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from onefate.broker.ledger.link.endpoint import Endpoint

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Pair:
    """One client's connection and its twin to the server."""

    def __init__(self, client: Streams, server: Streams) -> None:
        self.client = client
        self.server = server
        self.doomed = False

    def cut(self) -> None:
        for _, writer in (self.client, self.server):
            writer.transport.abort()


class Proxy:
    """Passes bytes between clients and one server; counts and breaks."""

    def __init__(self, target: Path | tuple[str, int], *, tcp: bool = False) -> None:
        self._target = target
        self._tcp = tcp
        self._stack = AsyncExitStack()
        self._listener: asyncio.Server | None = None
        self._pairs: set[_Pair] = set()
        self._free = asyncio.Event()
        self._free.set()
        self._swallows = False
        self._fatal: bytes | None = None
        self._pause: bytes | None = None
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._directory = ""
        self._port = 0
        self.accepted = 0
        self.chunks: list[bytes] = []
        self.lost_replies = 0

    @property
    def endpoint(self) -> Endpoint:
        if self._tcp:
            return Endpoint(host="127.0.0.1", port=self._port)
        return Endpoint(path=f"{self._directory}/proxy.sock")

    @property
    def url(self) -> str:
        return f"redis://{self.endpoint}" if self._tcp else f"unix://{self.endpoint}"

    @property
    def live(self) -> int:
        return len(self._pairs)

    async def __aenter__(self) -> Self:
        self._directory = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="of-"))
        await self.open_door()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close_door()
        self.cut()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stack.aclose()

    async def open_door(self) -> None:
        """Listen, at the same address as before."""
        if self._tcp:
            self._listener = await asyncio.start_server(self._accept, "127.0.0.1", self._port)
            self._port = int(self._listener.sockets[0].getsockname()[1])
        else:
            path = self.endpoint.path
            self._listener = await asyncio.start_unix_server(self._accept, path)

    def close_door(self) -> None:
        """Stop listening; open connections stay."""
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.close()
            if not self._tcp:
                Path(self.endpoint.path).unlink(missing_ok=True)

    def cut(self) -> None:
        """End every connection now."""
        for pair in tuple(self._pairs):
            pair.cut()

    def lead_to(self, target: Path | tuple[str, int]) -> None:
        """Let connections from now on lead to another server; those that are open stay."""
        self._target = target

    def hold(self) -> None:
        """Keep replies back until `go_on`."""
        self._free.clear()

    def hold_from(self, command: bytes) -> None:
        """Keep replies back from the next write on that contains the bytes."""
        self._pause = command

    def go_on(self) -> None:
        """Let everything pass again; what was swallowed stays lost."""
        self._swallows = False
        self._free.set()

    def swallow(self) -> None:
        """Let bytes vanish in both directions and keep the connections."""
        self._swallows = True

    def lose_reply(self, command: bytes) -> None:
        """Pass the next write that contains the bytes, drop what is answered, cut."""
        self._fatal = command

    async def connected(self, count: int) -> None:
        """Return once so many connections were accepted in all."""
        await self._until(lambda: self.accepted >= count)

    async def seen(self, part: bytes) -> None:
        """Return once a client has written the bytes."""
        await self._until(lambda: any(part in chunk for chunk in self.chunks))

    async def _until(self, true: Callable[[], bool]) -> None:
        async with self._changed:
            await self._changed.wait_for(true)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._between(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _between(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if isinstance(self._target, Path):
                server = await asyncio.open_unix_connection(str(self._target))
            else:
                server = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        pair = _Pair((reader, writer), server)
        self._pairs.add(pair)
        self.accepted += 1
        await self._tell()
        try:
            ways = (
                asyncio.ensure_future(self._requests(pair)),
                asyncio.ensure_future(self._replies(pair)),
            )
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        finally:
            pair.cut()
            self._pairs.discard(pair)
            await self._tell()

    async def _requests(self, pair: _Pair) -> None:
        while chunk := await _read(pair.client[0]):
            self.chunks.append(chunk)
            if self._fatal is not None and self._fatal in chunk:
                self._fatal = None
                pair.doomed = True
            if self._pause is not None and self._pause in chunk:
                self._pause = None
                self.hold()
            if not self._swallows:
                pair.server[1].write(chunk)
            await self._tell()

    async def _replies(self, pair: _Pair) -> None:
        while chunk := await _read(pair.server[0]):
            await self._free.wait()
            if pair.doomed:
                self.lost_replies += 1
                return
            if not self._swallows:
                pair.client[1].write(chunk)


async def _read(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(1 << 16)
    except OSError:
        return b""
