"""One RESP3 connection that many callers share.

Promises: the commands of one loop tick leave in one write, in the order they were sent; each
reply goes to the command it answers, and messages to the listener, in the order of arrival; a
reply nobody waits for any more is dropped; once lost, every command still open fails as
`OutcomeUnknown` at once and nothing is sent any more. It dials nothing and retries nothing:
that is the link's part.

Replies and subscription confirmations come in command order, so one queue of open commands is
enough to tell whose they are. A confirmation nobody asked for means the server ended a
subscription on its own: the connection is given up, and the next one subscribes again.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

import hiredis

from onefate.broker.ledger.errors import OutcomeUnknown
from onefate.broker.ledger.link.policy import LinkPolicy
from onefate.broker.ledger.link.protocol import Arg, LinkCounters, Reply
from onefate.broker.ledger.link.resp import RawReply, pack

_Parsed: TypeAlias = "RawReply | hiredis.PushNotification | _More"
_CONFIRMATIONS = frozenset({b"subscribe", b"unsubscribe", b"ssubscribe", b"sunsubscribe"})
_MESSAGES = frozenset({b"message", b"smessage"})
_TOLD = 3
"""How many words a message or a confirmation has."""


class _More:
    """Marks that the parser has no whole reply left."""


_MORE = _More()


class _Batch:
    """A pipeline whose replies are gathered into one future."""

    __slots__ = ("future", "replies", "size")

    def __init__(self, future: asyncio.Future[list[RawReply]], size: int) -> None:
        self.future = future
        self.size = size
        self.replies: list[RawReply] = []


class _Confirmation:
    """A (un)subscription that is answered by one push for each of its channels."""

    __slots__ = ("channels", "future", "word")

    def __init__(
        self, future: asyncio.Future[RawReply], word: bytes, channels: Sequence[str]
    ) -> None:
        self.future = future
        self.word = word
        self.channels = {channel.encode() for channel in channels}


_Open: TypeAlias = "asyncio.Future[RawReply] | _Batch | _Confirmation"


class Wire(asyncio.Protocol):
    """One live connection; made by the link, which gives up on it at the first loss."""

    def __init__(
        self,
        address: str,
        policy: LinkPolicy,
        counters: LinkCounters,
        on_message: Callable[[bytes, bytes], None],
    ) -> None:
        self.on_loss: Callable[[], None] | None = None
        self._loop = asyncio.get_running_loop()
        self._address = address
        self._policy = policy
        self._counters = counters
        self._on_message = on_message
        self._reader = hiredis.Reader(notEnoughData=_MORE)
        self._transport: asyncio.Transport | None = None
        self._open: deque[_Open] = deque()
        self._out: list[bytes] = []
        self._out_bytes = 0
        self._paused = False
        self._held_back: deque[asyncio.Future[None]] = deque()
        self._subscribed: dict[str, asyncio.Future[RawReply]] = {}
        self.lost: asyncio.Future[str] = self._loop.create_future()
        self.bytes_in = 0

    # What the link calls

    def send(self, command: Sequence[Arg]) -> asyncio.Future[RawReply]:
        """Queue one command for this tick's write and return the future of its reply."""
        future: asyncio.Future[RawReply] = self._loop.create_future()
        self._queue(future, pack(tuple(command)), 1)
        return future

    def send_all(self, commands: Sequence[Sequence[Arg]]) -> asyncio.Future[list[RawReply]]:
        """Queue commands as neighbours and return the future of their replies in order."""
        future: asyncio.Future[list[RawReply]] = self._loop.create_future()
        packed = b"".join([pack(tuple(command)) for command in commands])
        self._queue(_Batch(future, len(commands)), packed, len(commands))
        return future

    def subscribe(self, channels: Sequence[str]) -> asyncio.Future[RawReply]:
        """Queue a subscription and return the future of its confirmation."""
        future = self._confirmed("SUBSCRIBE", channels)
        self._subscribed.update(dict.fromkeys(channels, future))
        return future

    def unsubscribe(self, channels: Sequence[str]) -> asyncio.Future[RawReply]:
        """Queue the end of subscriptions and return the future of its confirmation."""
        for channel in channels:
            self._subscribed.pop(channel, None)
        return self._confirmed("UNSUBSCRIBE", channels)

    @property
    def subscribed(self) -> dict[str, asyncio.Future[RawReply]]:
        """Each channel whose latest command was a subscription, with its confirmation."""
        return self._subscribed

    def has_room(self) -> bool:
        """Whether a caller may send now, without passing one that was held back before it."""
        return not self._held_back and not self._full()

    async def room(self) -> bool:
        """Wait until the caller may send; False when the connection was lost meanwhile."""
        self._counters.held_back += 1
        again = False
        while not self.lost.done():
            turn: asyncio.Future[None] = self._loop.create_future()
            (self._held_back.appendleft if again else self._held_back.append)(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if not turn.cancelled():
                    self._admit()
                raise
            if not self._full():
                return not self.lost.done()
            again = True
        return False

    def lose(self, cause: str) -> None:
        """Give the connection up: fail what is open, release who waits, close the socket."""
        if self.lost.done():
            return
        self.lost.set_result(cause)
        if self.on_loss is not None:
            self.on_loss()
        self._out.clear()
        open_commands, self._open = self._open, deque()
        for each in open_commands:
            future = each if isinstance(each, asyncio.Future) else each.future
            if not future.done():
                future.set_exception(OutcomeUnknown(self._address, cause))
                future.exception()
        self._release(len(self._held_back))
        if self._transport is not None:
            self._transport.abort()

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport and bound what it buffers."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=self._policy.buffered)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail everything open as of unknown outcome."""
        self.lose(str(exc) if exc else "the server closed the connection")

    def pause_writing(self) -> None:
        """Hold callers back: the socket takes no more."""
        self._paused = True

    def resume_writing(self) -> None:
        """Let callers send again."""
        self._paused = False
        self._admit()

    def data_received(self, data: bytes) -> None:
        """Hand every whole reply and message in the data to whom it is for."""
        self.bytes_in += len(data)
        self._counters.bytes_in += len(data)
        self._reader.feed(data)
        try:
            self._drain()
        except hiredis.ProtocolError:
            self.lose("the server sent something that is not RESP3")
        if self._held_back:
            self._admit()

    # Within

    def _queue(self, entry: _Open, packed: bytes, count: int) -> None:
        if self.lost.done():
            future = entry if isinstance(entry, asyncio.Future) else entry.future
            future.set_exception(OutcomeUnknown(self._address, self.lost.result()))
            future.exception()
            return
        self._open.append(entry)
        self._counters.commands += count
        if not self._out:
            self._loop.call_soon(self._flush)
        self._out.append(packed)
        self._out_bytes += len(packed)

    def _confirmed(self, word: str, channels: Sequence[str]) -> asyncio.Future[RawReply]:
        future: asyncio.Future[RawReply] = self._loop.create_future()
        packed = pack((word, *channels))
        self._queue(_Confirmation(future, word.lower().encode(), channels), packed, 1)
        return future

    def _flush(self) -> None:
        if not self._out or self._transport is None:
            return
        self._counters.writes += 1
        self._counters.bytes_out += self._out_bytes
        self._out_bytes = 0
        data = b"".join(self._out)
        self._out.clear()
        self._transport.write(data)
        if self._held_back:
            self._admit()

    def _full(self) -> bool:
        return (
            self._paused
            or len(self._open) >= self._policy.in_flight
            or self._out_bytes >= self._policy.buffered
        )

    def _admit(self) -> None:
        if not self._full():
            self._release(self._policy.in_flight - len(self._open))

    def _release(self, count: int) -> None:
        while count > 0 and self._held_back:
            turn = self._held_back.popleft()
            if not turn.done():
                turn.set_result(None)
                count -= 1

    def _drain(self) -> None:
        gets = self._reader.gets
        while not self.lost.done():
            parsed: _Parsed = gets()
            if isinstance(parsed, _More):
                return
            if isinstance(parsed, hiredis.PushNotification):
                self._pushed(cast("list[Reply]", parsed))
            elif self._open:
                self._answered(parsed)
            else:
                said = str(parsed) if isinstance(parsed, hiredis.ReplyError) else "a reply"
                self.lose(f"the server spoke unasked: {said}")

    def _answered(self, reply: RawReply) -> None:
        head = self._open[0]
        if isinstance(head, _Batch):
            head.replies.append(reply)
            if len(head.replies) == head.size:
                self._open.popleft()
                if not head.future.done():
                    head.future.set_result(head.replies)
            return
        self._open.popleft()
        future = head.future if isinstance(head, _Confirmation) else head
        if not future.done():
            future.set_result(reply)

    def _pushed(self, push: Sequence[Reply]) -> None:
        kind, channel, told = push if len(push) == _TOLD else (None, None, None)
        if not isinstance(kind, bytes) or not isinstance(channel, bytes):
            return
        if isinstance(told, bytes) and kind in _MESSAGES:
            self._counters.pushes += 1
            self._on_message(channel, told)
        elif isinstance(told, int) and kind in _CONFIRMATIONS:
            self._confirm(kind, channel)

    def _confirm(self, kind: bytes, channel: bytes) -> None:
        head = self._open[0] if self._open else None
        if not (isinstance(head, _Confirmation) and head.word == kind and channel in head.channels):
            self.lose("the server ended a subscription")
            return
        head.channels.remove(channel)
        if not head.channels:
            self._open.popleft()
            if not head.future.done():
                head.future.set_result(None)
