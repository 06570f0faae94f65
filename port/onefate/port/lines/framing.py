"""Lines over a byte stream, with a bound on what one line may hold."""

from anyio import EndOfStream
from anyio.abc import ByteReceiveStream

from onefate.port.lines.errors import LineTooLong
from onefate.port.lines.messages import MAX_LINE_BYTES

CHUNK = 65_536


class LineReader:
    """Reads one line at a time; a line over the bound is skipped whole, and costs no memory."""

    def __init__(self, stream: ByteReceiveStream, limit: int = MAX_LINE_BYTES) -> None:
        self._stream = stream
        self._limit = limit
        self._buffer = bytearray()
        self._ended = False

    async def next(self) -> bytes | None:
        """Give the next line without its end, None once the stream has ended.

        Raises:
            LineTooLong: the line passed the bound; the next call gives the line after it.
        """
        seen = 0
        while (end := self._buffer.find(b"\n", seen)) < 0:
            if len(self._buffer) > self._limit:
                await self._skip_line()
                raise LineTooLong(self._limit)
            seen = len(self._buffer)
            if not await self._fill():
                return self._rest()
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        if len(line) > self._limit:
            raise LineTooLong(self._limit)
        return line.removesuffix(b"\r")

    async def _skip_line(self) -> None:
        while (end := self._buffer.find(b"\n")) < 0:
            self._buffer.clear()
            if not await self._fill():
                return
        del self._buffer[: end + 1]

    async def _fill(self) -> bool:
        if not self._ended:
            try:
                self._buffer += await self._stream.receive(CHUNK)
            except EndOfStream:
                self._ended = True
        return not self._ended

    def _rest(self) -> bytes | None:
        line = bytes(self._buffer)
        self._buffer.clear()
        return line or None
