"""Serving a port over lines: every request is answered once, by its id, and none blocks another.

- A bad line costs one structured error and nothing else; the connection goes on.
- `call` runs to its end even when its client has gone: a fire is never half made. Waits end with
  their client, and only the waits; the fires they were about go on (wait:never-fails).
- A connection has a bound on what it may have in flight, answers that its client has not read yet
  included; over it requests are refused by name.
"""

import logging
from functools import partial
from typing import assert_never

import anyio
from anyio.abc import ByteStream, Listener, SocketStream, TaskGroup

from onefate.broker.errors import OnefateError
from onefate.port.lines.errors import (
    BadLine,
    LineTooLong,
    RequestIdInUse,
    TooManyRequests,
    WaitAbandoned,
)
from onefate.port.lines.framing import LineReader
from onefate.port.lines.messages import (
    MAX_LINE_BYTES,
    Abandon,
    About,
    Call,
    Fields,
    Request,
    RequestId,
    Told,
    Tools,
    encode,
    parse_request,
)
from onefate.port.protocols import JourneyToolsPortWithSettlement

logger = logging.getLogger(__name__)

MAX_IN_FLIGHT = 10_000


async def serve_listener(
    port: JourneyToolsPortWithSettlement,
    listener: Listener[SocketStream],
    *,
    max_line_bytes: int = MAX_LINE_BYTES,
    max_in_flight: int = MAX_IN_FLIGHT,
) -> None:
    """Serve every connection to `listener` until cancelled."""
    serve = partial(serve_stream, port, max_line_bytes=max_line_bytes, max_in_flight=max_in_flight)
    async with anyio.create_task_group() as group:
        await listener.serve(serve, group)


async def serve_stream(
    port: JourneyToolsPortWithSettlement,
    stream: ByteStream,
    *,
    max_line_bytes: int = MAX_LINE_BYTES,
    max_in_flight: int = MAX_IN_FLIGHT,
) -> None:
    """Serve one connection until its client has gone and its calls are answered."""
    async with stream:
        await _Connection(port, stream, max_line_bytes, max_in_flight).run()


class _Connection:
    def __init__(
        self,
        port: JourneyToolsPortWithSettlement,
        stream: ByteStream,
        max_line_bytes: int,
        max_in_flight: int,
    ) -> None:
        self._port = port
        self._stream = stream
        self._reader = LineReader(stream, max_line_bytes)
        self._max_in_flight = max_in_flight
        self._sending = anyio.Lock()
        self._in_flight: set[RequestId] = set()
        self._unfinished = 0
        """Requests that are in flight, or whose answer is on its way."""
        self._waits: dict[RequestId, anyio.CancelScope] = {}

    async def run(self) -> None:
        async with anyio.create_task_group() as group:
            try:
                while await self._read_one(group):
                    pass
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                logger.debug("a client has gone without closing its connection")
            for wait in self._waits.values():
                wait.cancel()

    async def _read_one(self, group: TaskGroup) -> bool:
        try:
            line = await self._reader.next()
            if line is None:
                return False
            if line.strip():
                self._start(parse_request(line), group)
        except (BadLine, TooManyRequests, RequestIdInUse) as error:
            await self._send(_refusal(error.request_id, error))
        except LineTooLong as error:
            await self._send(_refusal(None, error))
        return True

    def _start(self, request: Request, group: TaskGroup) -> None:
        if request.id in self._in_flight:
            raise RequestIdInUse(request.id)
        most = self._max_in_flight * (2 if isinstance(request, Abandon) else 1)
        if self._unfinished >= most:
            raise TooManyRequests(self._max_in_flight, request.id)
        self._unfinished += 1
        self._in_flight.add(request.id)
        if isinstance(request, About) and request.method == "when_settled":
            self._waits[request.id] = anyio.CancelScope()
        group.start_soon(self._answer, request)

    async def _answer(self, request: Request) -> None:
        try:
            await self._send(await self._line(request))
        finally:
            self._unfinished -= 1

    async def _line(self, request: Request) -> bytes:
        try:
            line = encode({"id": request.id, "result": await self._result(request)})
        except OnefateError as error:
            line = _refusal(request.id, error)
        except Exception:
            logger.exception("a port failed to answer", extra={"request": request.id})
            line = _refusal(request.id, OnefateError("the port failed to answer"))
        self._in_flight.discard(request.id)
        self._waits.pop(request.id, None)
        return line

    async def _result(self, request: Request) -> object:
        match request:
            case Tools():
                return self._port.tools()
            case Call():
                return await self._call(request)
            case About(method="settled_answer"):
                return await self._port.settled_answer(request.transition_id)
            case About():
                return await self._wait(request)
            case Abandon():
                wait = self._waits.get(request.request)
                if wait is not None:
                    wait.cancel()
                return wait is not None
            case _:
                assert_never(request)

    async def _call(self, request: Call) -> object:
        answer: object = None
        with anyio.CancelScope(shield=True):
            answer = await self._port.call(request.name, request.args)
        return answer  # noqa: RET504 - a scope may end its block early

    async def _wait(self, request: About) -> object:
        with self._waits[request.id]:
            return await self._port.when_settled(request.transition_id)
        raise WaitAbandoned(request.id)

    async def _send(self, line: bytes) -> None:
        try:
            async with self._sending:
                await self._stream.send(line)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            logger.debug("an answer found its client gone")


def _refusal(request_id: RequestId | None, error: OnefateError) -> bytes:
    told: Fields = {"error": Told.of(error).fields()}
    return encode(told if request_id is None else {"id": request_id, **told})
