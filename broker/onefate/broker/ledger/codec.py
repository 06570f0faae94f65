"""How values become bytes in the store, and what is refused before anything is written.

A settlement is stored as `<token> <at> <by> <status> <id>` on the first line and its envelope as
JSON after it; a journal entry as `<kind> <token> <by> <status>` and its body. Both first lines are
composed by scripts, which is why their words hold no white space.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast, get_args

from onefate.broker.ledger.faults import NotAnOutcome, NotJson, TooDeep, TooLarge
from onefate.broker.ledger.models import (
    EffectStatus,
    Fire,
    Happening,
    HappeningKind,
    Json,
    JsonObject,
    Outcome,
    Settlement,
    Start,
)

DEPTH: Final = 64
ANNOUNCED: Final = 1024
"""Receipts up to this many bytes ride in their announcement."""

_MICRO: Final = 1000
_PLAIN: Final = frozenset({str, int, bool, type(None)})
_STATUSES: Final = frozenset(get_args(EffectStatus))
_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_DECODER: Final = json.JSONDecoder()


def to_json(what: str, value: object, limit: int) -> bytes:
    """Give a value's compact JSON.

    Raises:
        NotJson, TooDeep, TooLarge: naming `what`.
    """
    _check(what, value, DEPTH)
    try:
        data = _COMPACT.encode(value).encode()
    except UnicodeEncodeError:
        raise NotJson(what, "a text in it holds half of a surrogate pair") from None
    if len(data) > limit:
        raise TooLarge(what, len(data), limit)
    return data


def _check(what: str, value: object, depth: int) -> None:
    if value is None or isinstance(value, (str, bool, int)):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotJson(what, "a number in it is not finite")
        return
    if depth == 0:
        raise TooDeep(what, DEPTH)
    for item in _items(what, value):
        if type(item) not in _PLAIN:
            _check(what, item, depth - 1)


def _items(what: str, value: object) -> Iterable[object]:
    if isinstance(value, (list, tuple)):
        return cast("Sequence[object]", value)
    if not isinstance(value, dict):
        raise NotJson(what, f"a value in it is of type {type(value).__name__}")
    for key in cast("dict[object, object]", value):
        if not isinstance(key, str):
            raise NotJson(what, f"a key in it is of type {type(key).__name__}")
    return cast("dict[str, object]", value).values()


def from_json(data: bytes) -> Json:
    """Read what `to_json` wrote."""
    return _parsed(data.decode())


def _parsed(text: str) -> Json:
    value, end = _DECODER.raw_decode(text)
    if end < len(text):
        raise json.JSONDecodeError("more follows the value", text, end)
    return cast("Json", value)


def settlement_from(stored: bytes) -> Settlement:
    """Read a stored settlement."""
    head, _, body = stored.decode().partition("\n")
    _, at, by, status, fire_id = head.split(" ", 4)
    return Settlement(
        fire_id, _status(status), by, int(at),
        cast("JsonObject", _parsed(body) if body else {}),
    )  # fmt: skip


def envelope(outcome: Mapping[str, Json], evidence: Json, limit: int) -> bytes:
    """Give the bytes of a receipt's envelope.

    Raises:
        NotJson, TooDeep, TooLarge: it cannot be kept.
    """
    body = dict(outcome)
    if evidence is not None:
        body["evidence"] = evidence
    return to_json("settlement", body, limit)


def _status(word: str) -> EffectStatus:
    if word not in _STATUSES:
        raise ValueError(word)
    return cast("EffectStatus", word)


def fields_of(flat: Sequence[object]) -> dict[str, str]:
    """Give a hash that a script returned as a flat list of fields and values."""
    words = [cast("bytes", word).decode() for word in flat]
    return dict(zip(words[::2], words[1::2], strict=True))


def hash_of(reply: object) -> dict[str, str]:
    """Give a hash that the server returned, as a map or as field, value, …; else an empty one."""
    if isinstance(reply, dict):
        pairs = cast("dict[bytes, bytes]", reply).items()
        return {field.decode(): value.decode() for field, value in pairs}
    return fields_of(cast("Sequence[object]", reply)) if isinstance(reply, list) else {}


def fire_from(session: str, fire_id: str, fields: Mapping[str, str]) -> Fire:
    """Read a fire's hash."""
    settled = fields.get("z")
    return Fire(
        id=fire_id,
        session=session,
        action=fields["a"],
        principal=fields["p"],
        by=fields["b"],
        at_ms=int(fields["t"]),
        status="open" if fields["s"] == "open" else _status(fields["s"]),
        queue=fields.get("q"),
        repeatable="r" in fields,
        started=start_from(fields["w"], fields["c"], fields["h"]) if "w" in fields else None,
        settled_at_ms=None if settled is None else int(settled),
    )


def start_from(claim: str, attempt: str, seen: str) -> Start:
    """Read a claim: `<worker> <token> <at>`."""
    worker, _, at = claim.split(" ")
    return Start(worker, int(attempt), int(at), int(seen))


def happening_from(entry: bytes, micros: float) -> Happening:
    """Read one journal entry."""
    head, _, body = entry.partition(b"\n")
    kind, *words = head.decode().split(" ")
    at_ms = int(micros) // _MICRO
    if kind == "started":
        worker, _, at, attempt, seen = words
        return Happening(int(at), "started", worker, {"attempt": int(attempt), "seen": int(seen)})
    _, by, status = words
    detail = cast("JsonObject", from_json(body) if body else {})
    if status != "-":
        detail = {"effectStatus": status, **detail}
    return Happening(at_ms, cast("HappeningKind", kind), by, detail)


def checked_outcome(outcome: object) -> Outcome:
    """Give the outcome back if it is one.

    Raises:
        NotAnOutcome: it is something else.
    """
    if not isinstance(outcome, Outcome):
        raise NotAnOutcome(type(outcome).__name__)
    return outcome
