"""Ids: what a fire's id says, and which partition a session lives in.

A fire is `<action>#<n>`: `n` counts the rows of its session. Once the store may have lost writes it
had acknowledged, a new epoch begins and ids are `<action>#<e>.<n>`, so that no id ever names two
fires (id:never-reused). The number alone, as text, is the fire's place in the store.
"""

import re
import secrets
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import count
from typing import Final, NamedTuple

from redis.crc import key_slot

from onefate.broker.errors import NeverExisted
from onefate.broker.ledger.faults import BadName
from onefate.broker.ledger.process import HERE

PARTITIONS: Final = 64
"""Fixed for every namespace: the hash tags below are spread evenly over a cluster's slots."""

_SLOTS: Final = 16384
_REMEMBERED: Final = 16_384
_USUAL: Final = 256
"""How long an id may be to be remembered."""
EPOCH: Final = 2**32
"""How far apart the epochs of orders and revisions are."""

_NUMBER: Final = re.compile(r"(?:([1-9]\d{0,5})\.)?(0|[1-9]\d{0,14})", re.ASCII)
_NAME: Final = re.compile(r"[^\s\x00-\x1f\x7f]+")


class Number(NamedTuple):
    """A row's place in its session: epochs first, then the counter."""

    epoch: int
    n: int

    def __str__(self) -> str:
        return f"{self.epoch}.{self.n}" if self.epoch else str(self.n)

    @property
    def order(self) -> int:
        """Give one integer that sorts as the rows were recorded."""
        return self.epoch * EPOCH + self.n


@dataclass(frozen=True, slots=True)
class FireId:
    """A parsed id; `str` gives it back."""

    action: str
    number: Number

    def __str__(self) -> str:
        return f"{self.action}#{self.number}"

    @staticmethod
    def parse(text: str) -> "FireId":
        """Read an id.

        Raises:
            NeverExisted: no fire can have this id.
        """
        return _parsed(text) if len(text) <= _USUAL else _parsed.__wrapped__(text)


@lru_cache(_REMEMBERED)
def _parsed(text: str) -> FireId:
    action, found, digits = text.rpartition("#")
    match = _NUMBER.fullmatch(digits)
    if not found or not action or match is None:
        raise NeverExisted(text)
    return FireId(action, Number(int(match[1] or 0), int(match[2])))


def _tags() -> tuple[str, ...]:
    found: dict[int, str] = {}
    candidate = 0
    while len(found) < PARTITIONS:
        slot = key_slot(str(candidate).encode())
        found.setdefault(slot // (_SLOTS // PARTITIONS), str(candidate))
        candidate += 1
    return tuple(found[index] for index in range(PARTITIONS))


TAGS: Final = _tags()
"""The hash tag of each partition: the smallest number whose slot lies in the partition's range."""


def partition_of(session: str) -> int:
    """Give the partition that holds a session, the same in every process."""
    return int.from_bytes(blake2b(session.encode(), digest_size=4).digest()) % PARTITIONS


class _Tokens:
    """Tokens of one process: a count, then a word of its own; a fork is another process."""

    def __init__(self) -> None:
        self._process = 0
        self._word = ""
        self._count = count()

    def next(self) -> str:
        if self._process != HERE.id:
            self._word, self._process = secrets.token_urlsafe(9), HERE.id
        return f"{next(self._count):x}-{self._word}"


_tokens: Final = _Tokens()


def new_token() -> str:
    """Give a token no other writer has."""
    return _tokens.next()


class TokenSeries:
    """The tokens of a writer with one write under way at a time: `<series>.<n>`.

    The store keeps the last token of each series, so a repeat is known for what it is however much
    others have written meanwhile (settle:lost-reply).
    """

    def __init__(self) -> None:
        self._name = secrets.token_hex(8)
        self._count = 0

    def next(self) -> str:
        """Give the token of the next write."""
        self._count += 1
        return f"{self._name}.{self._count}"


@lru_cache(_REMEMBERED)
def checked_name(what: str, name: str, limit: int = 64) -> str:
    """Give the name back if it can be part of a key or a row.

    Raises:
        BadName: it is empty, too long, or has white space or control characters in it.
    """
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise BadName(what, "must not contain half of a surrogate pair") from None
    if not 0 < size <= limit:
        raise BadName(what, f"must have 1 to {limit} bytes, and has {size}")
    if _NAME.fullmatch(name) is None:
        raise BadName(what, "must not contain white space or control characters")
    return name
