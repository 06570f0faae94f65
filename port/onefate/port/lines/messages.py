"""The messages of the line protocol: one JSON object a line, one answer a request.

| request | answer |
|---|---|
| `{"id", "method": "tools"}` | `{"id", "result": [tool, …]}` |
| `{"id", "method": "call", "name", "args"?}` | `{"id", "result": {…}}` |
| `{"id", "method": "when_settled", "transitionId"}` | `{"id", "result": {…}}` when it has settled |
| `{"id", "method": "settled_answer", "transitionId"}` | `{"id", "result": {…} or null}` |
| `{"id", "method": "abandon", "request"}` | `{"id", "result": true or false}` |

An error answers as `{"id"?, "error": {"code", "message", "awaiting"?}}`; the id is absent where the
line did not give one that can be used, `awaiting` lists the open fires that could be asked about
instead. Ids are the caller's: a whole number or a text, one request at a time.
"""

import json
from dataclasses import dataclass
from typing import Final, Literal, NoReturn, TypeAlias, TypeGuard, cast

from onefate.broker.errors import (
    AmbiguousId,
    Forgotten,
    ImpossibleId,
    NeverExisted,
    OnefateError,
    WasAsk,
    WasStimulus,
)
from onefate.port.lines.errors import BadLine, PortAnsweredError

RequestId: TypeAlias = int | str
Fields: TypeAlias = dict[str, object]

MAX_LINE_BYTES = 1_048_576
MAX_ID_CHARACTERS = 200
_IMPOSSIBLE: Final = {
    each.code: each for each in (NeverExisted, Forgotten, WasStimulus, WasAsk, AmbiguousId)
}


@dataclass(frozen=True, slots=True)
class Tools:
    """Ask for the tool array."""

    id: RequestId


@dataclass(frozen=True, slots=True)
class Call:
    """Call a tool; `args` is whatever the agent sent."""

    id: RequestId
    name: str
    args: object


@dataclass(frozen=True, slots=True)
class About:
    """Ask about one fire: wait for it, or take what is known."""

    id: RequestId
    method: Literal["when_settled", "settled_answer"]
    transition_id: str


@dataclass(frozen=True, slots=True)
class Abandon:
    """Give up a wait that this connection asked for."""

    id: RequestId
    request: RequestId


Request: TypeAlias = Tools | Call | About | Abandon


@dataclass(frozen=True, slots=True)
class Told:
    """What the port said went wrong."""

    code: str
    message: str
    awaiting: tuple[str, ...] = ()

    @classmethod
    def of(cls, error: OnefateError) -> "Told":
        """Give what is said of an error."""
        awaiting = error.awaiting if isinstance(error, ImpossibleId) else ()
        return cls(error.code, str(error), awaiting)

    @classmethod
    def read(cls, fields: Fields) -> "Told":
        """Take whatever the other end wrote of it."""
        awaiting = fields.get("awaiting")
        listed = cast("list[object]", awaiting) if isinstance(awaiting, list) else []
        told = str(fields.get("code", "")), str(fields.get("message", ""))
        return cls(*told, tuple(str(each) for each in listed))

    def fields(self) -> Fields:
        """Give the fields as they are written."""
        told: Fields = {"code": self.code, "message": self.message}
        return told | {"awaiting": self.awaiting} if self.awaiting else told

    def error(self, transition_id: str | None) -> OnefateError:
        """Give the error to raise for a request about this fire, or about none."""
        impossible = _IMPOSSIBLE.get(self.code)
        if impossible is None or transition_id is None:
            return PortAnsweredError(self.code, self.message)
        return impossible(transition_id, self.awaiting)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as the client reads it."""

    id: RequestId | None
    result: object = None
    told: Told | None = None


def parse_request(line: bytes) -> Request:
    """Read one line as a request.

    Raises:
        BadLine: naming what is wrong, and the id where the line gave one that can be used.
    """
    fields = _object(line)
    request_id = fields.get("id")
    if not _is_id(request_id):
        raise BadLine("`id` must be a whole number or a text of at most 200 characters")
    match fields.get("method"):
        case "tools":
            return Tools(request_id)
        case "call":
            return Call(request_id, _text(fields, "name", request_id), fields.get("args"))
        case "when_settled":
            return About(request_id, "when_settled", _text(fields, "transitionId", request_id))
        case "settled_answer":
            return About(request_id, "settled_answer", _text(fields, "transitionId", request_id))
        case "abandon":
            request = fields.get("request")
            if not _is_id(request):
                raise BadLine("`request` must be the id of a request", request_id)
            return Abandon(request_id, request)
        case _:
            raise BadLine(
                "`method` must be tools, call, when_settled, settled_answer or abandon", request_id
            )


def parse_answer(line: bytes) -> Answer:
    """Read one line as an answer.

    Raises:
        BadLine: when the other end does not speak this protocol.
    """
    fields = _object(line)
    request_id = fields.get("id")
    if request_id is not None and not _is_id(request_id):
        raise BadLine("`id` of an answer must be a whole number or a text")
    error = fields.get("error")
    if error is None:
        return Answer(request_id, result=fields.get("result"))
    if not isinstance(error, dict):
        raise BadLine("`error` of an answer must be an object", request_id)
    return Answer(request_id, told=Told.read(cast("Fields", error)))


def encode(fields: Fields) -> bytes:
    """Write one message as a line of ASCII; any text survives, also one that is no valid UTF-8."""
    return json.dumps(fields, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _object(line: bytes) -> Fields:
    try:
        value: object = json.loads(line, parse_constant=_refuse_constant)
    except RecursionError:
        raise BadLine("it is nested too deeply") from None
    except ValueError:
        raise BadLine("it is not JSON") from None
    if not isinstance(value, dict):
        raise BadLine("it is not a JSON object")
    return cast("Fields", value)


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(word)


def _is_id(value: object) -> TypeGuard[RequestId]:
    if isinstance(value, bool):
        return False
    if isinstance(value, str):
        return 0 < len(value) <= MAX_ID_CHARACTERS
    return isinstance(value, int)


def _text(fields: Fields, key: str, request_id: RequestId) -> str:
    value = fields.get(key)
    if not isinstance(value, str):
        raise BadLine(f"`{key}` must be a text", request_id)
    return value
