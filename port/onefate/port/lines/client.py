"""The other end of the lines: a port in another process, with the methods of a port."""

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import cast

import anyio
from anyio.abc import ByteStream

from onefate.port.lines.address import Address, dial
from onefate.port.lines.errors import BadLine, LineTooLong, PortGone
from onefate.port.lines.framing import LineReader
from onefate.port.lines.messages import MAX_LINE_BYTES, Answer, Fields, encode, parse_answer

logger = logging.getLogger(__name__)

MAX_ANSWER_BYTES = 16 * MAX_LINE_BYTES


@dataclass(slots=True)
class _Asked:
    done: anyio.Event = field(default_factory=anyio.Event)
    answer: Answer | None = None


@asynccontextmanager
async def connect(address: Address) -> AsyncGenerator["LinesClient", None]:
    """Hold a port that listens at `address`; what the caller raises inside comes out as it is.

    Raises:
        PortGone: nobody listens there.
    """
    try:
        stream = await dial(address)
    except OSError as error:
        raise PortGone(str(address)) from error
    raised: Exception | None = None
    async with stream, anyio.create_task_group() as group:
        client = LinesClient(stream, str(address))
        group.start_soon(client.read)
        try:
            yield client
        except Exception as error:  # noqa: BLE001 - raised again below, outside of the group
            raised = error
        group.cancel_scope.cancel()
    if raised is not None:
        raise raised


class LinesClient:
    """A port at the other end of a connection; any number of tasks may use it at once.

    A request whose connection ends raises `PortGone`: a call may then have been made, and the
    session, asked through any port, says which. Cancelling a wait abandons it at the port too.
    """

    def __init__(self, stream: ByteStream, address: str) -> None:
        self._stream = stream
        self._address = address
        self._reader = LineReader(stream, MAX_ANSWER_BYTES)
        self._ids = count(1)
        self._asked: dict[int | str, _Asked] = {}
        self._sending = anyio.Lock()
        self._gone = False

    async def tools(self) -> Sequence[Mapping[str, object]]:
        """Give the tool array of the port.

        Raises:
            PortGone: the connection ended.
        """
        return cast("Sequence[Mapping[str, object]]", await self._ask(method="tools"))

    async def call(self, name: str, args: object = None) -> Mapping[str, object]:
        """Call a tool; the answer is the port's own, errors of the agent included.

        Raises:
            PortGone: the connection ended; whether the call was made is unknown here.
            PortAnsweredError: the store could not be reached.
        """
        result = await self._ask(method="call", name=name, args=args)
        return cast("Mapping[str, object]", result)

    async def when_settled(self, transition_id: str) -> Mapping[str, object]:
        """Give the facts of a fire once it has settled; cancelling abandons the wait only.

        Raises:
            PortGone: the connection ended; ask any other port.
            ImpossibleId: no settlement can exist under this id.
            PortAnsweredError: the store could not be reached.
        """
        result = await self._ask(transition_id, method="when_settled", transitionId=transition_id)
        return cast("Mapping[str, object]", result)

    async def settled_answer(self, transition_id: str) -> Mapping[str, object] | None:
        """Give the facts of a fire, None while it is in flight.

        Raises:
            PortGone: the connection ended.
            ImpossibleId: no settlement can exist under this id.
            PortAnsweredError: the store could not be reached.
        """
        result = await self._ask(transition_id, method="settled_answer", transitionId=transition_id)
        return cast("Mapping[str, object] | None", result)

    async def read(self) -> None:
        """Hand answers to whoever asked, until the connection ends; `connect` runs this."""
        try:
            while (line := await self._reader.next()) is not None:
                answer = parse_answer(line)
                if answer.id is not None and answer.id in self._asked:
                    asked = self._asked[answer.id]
                    asked.answer = answer
                    asked.done.set()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, BadLine, LineTooLong):
            logger.debug("a port does not speak the protocol any more", exc_info=True)
        finally:
            self._gone = True
            for asked in self._asked.values():
                asked.done.set()

    async def _ask(self, about: str | None = None, /, **fields: object) -> object:
        request_id = next(self._ids)
        asked = self._asked[request_id] = _Asked()
        try:
            await self._send({"id": request_id, **fields})
            await asked.done.wait()
        except anyio.get_cancelled_exc_class():
            if fields["method"] == "when_settled":
                await self._abandon(request_id)
            raise
        finally:
            del self._asked[request_id]
        if asked.answer is None:
            raise PortGone(self._address)
        if asked.answer.told is not None:
            raise asked.answer.told.error(about)
        return asked.answer.result

    async def _abandon(self, request_id: int) -> None:
        with anyio.move_on_after(1, shield=True):
            try:
                await self._send(
                    {"id": next(self._ids), "method": "abandon", "request": request_id}
                )
            except PortGone:
                return

    async def _send(self, fields: Fields) -> None:
        if self._gone:
            raise PortGone(self._address)
        try:
            async with self._sending:
                await self._stream.send(encode(fields))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise PortGone(self._address) from error
