"""Inputs compared by a canonical digest: equal values give equal digests, at any size and depth.

What JSON cannot hold (NaN, infinities, dates, functions, cycles, keys that are not text) has no
digest, and a comparison that meets it cannot judge (spec: graph-session §3.5; departure 11). The
digest is the same in every process and on every Python.
"""

import hashlib
import math
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from onefate.broker.journey.values import ABSENT, is_list, is_object

Sameness: TypeAlias = Literal["same", "different", "cannot-judge"]

_NOTHING: Final = b"_"
_CLOSE: Final = b"]"


def input_digest(value: object) -> str | None:
    """The digest of an input, `ABSENT` included; None if it cannot be rendered.

    Numbers count by value, whether written `1` or `1.0`; keys count in any order; a member that is
    `ABSENT` counts as left out.
    """
    return _digest(value, forgiving=False)


def canonical_digest(value: object) -> str:
    """The digest of a declaration: as `input_digest`, and total.

    A number that is not finite counts by its name, anything else JSON cannot hold by its type.
    """
    return _digest(value, forgiving=True) or ""


def same_input(left: object, right: object) -> Sameness:
    """Whether two inputs are the same one, as far as that can be told."""
    ours, theirs = input_digest(left), input_digest(right)
    if ours is None or theirs is None:
        return "cannot-judge"
    return "same" if ours == theirs else "different"


def _digest(value: object, *, forgiving: bool) -> str | None:
    tokens: list[bytes] = []
    trail: list[tuple[int, Iterator[object]]] = []
    inside: set[int] = set()
    owner, waiting = 0, iter((value,))
    while True:
        part = next(waiting, _END)
        if part is _END:
            inside.discard(owner)
            if not trail:
                return hashlib.sha256(b"".join(tokens)).hexdigest()
            tokens.append(_CLOSE)
            owner, waiting = trail.pop()
            continue
        token = _token(part)
        if token is None and id(part) not in inside and (opened := _parts(part)) is not None:
            trail.append((owner, waiting))
            owner = id(part)
            inside.add(owner)
            token, waiting = opened
        elif token is None and forgiving:
            token = _stranger(part)
        if token is None:
            return None
        tokens.append(token)


_END: Final = object()


def _parts(part: object) -> tuple[bytes, Iterator[object]] | None:
    if is_list(part):
        return b"[", iter(part)
    if is_object(part):
        return b"{", _members(part)
    return None


def _members(part: Mapping[object, object]) -> Iterator[object]:
    real = [(key, value) for key, value in part.items() if value is not ABSENT]
    for key, value in sorted(real, key=lambda member: _sort_key(member[0])):
        yield key if isinstance(key, str) else _NotText()
        yield value


class _NotText:
    """Stands for a key that is not a text, which no JSON object has."""


def _sort_key(key: object) -> bytes:
    return _encoded(key) if isinstance(key, str) else b""


def _token(part: object) -> bytes | None:
    if part is ABSENT:
        return _NOTHING
    if part is None or isinstance(part, bool):
        return {None: b"n", True: b"t", False: b"f"}[part]
    if isinstance(part, str):
        return _sized(b"s", _encoded(part))
    return _number_token(part) if isinstance(part, int | float) else None


def _number_token(number: float) -> bytes | None:
    if isinstance(number, int) or number.is_integer():
        return _sized(b"i", f"{int(number):x}".encode())
    return _sized(b"d", number.hex().encode()) if math.isfinite(number) else None


def _stranger(part: object) -> bytes:
    name = repr(part) if isinstance(part, float) else type(part).__qualname__
    return _sized(b"?", _encoded(name))


def _sized(kind: bytes, body: bytes) -> bytes:
    return b"%s%d:%s" % (kind, len(body), body)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
