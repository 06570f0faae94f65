"""Which commands may not run on a connection that everybody shares.

A command that blocks holds up everyone behind it (REDIS.md: a read behind `WAIT` waited with it);
one that changes the connection itself (its user, database, protocol, transaction or
subscriptions) changes it for everyone.
"""

from collections.abc import Sequence
from itertools import takewhile

from onefate.broker.ledger.errors import CommandNotShared
from onefate.broker.ledger.link.protocol import Arg

_BLOCKING = "BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN WAIT WAITAOF"
_STATEFUL = (
    "AUTH ASKING DISCARD EXEC HELLO MONITOR MULTI PSUBSCRIBE PSYNC PUNSUBSCRIBE QUIT READONLY "
    "READWRITE RESET SELECT SSUBSCRIBE SUBSCRIBE SUNSUBSCRIBE SYNC UNSUBSCRIBE UNWATCH WATCH"
)
_WORDS = frozenset(f"{_BLOCKING} {_STATEFUL}".split())
_NOT_SHARED = _WORDS | {word.encode() for word in _WORDS}
_MAY_BLOCK = frozenset({"XREAD", "XREADGROUP", b"XREAD", b"XREADGROUP"})
_BLOCK = frozenset({"BLOCK", b"BLOCK"})
_STREAMS = frozenset({"STREAMS", b"STREAMS"})


def check_shared(command: Sequence[Arg]) -> None:
    """Let a command pass that may share a connection.

    Raises:
        CommandNotShared: it may not; nothing was sent.
    """
    word = _upper(command[0])
    if word in _NOT_SHARED or (word in _MAY_BLOCK and _blocks(command)):
        raise CommandNotShared(name_of(command))


def name_of(command: Sequence[Arg]) -> str:
    """Return the first word of a command for a person."""
    word = _upper(command[0])
    return word.decode("ascii", "replace") if isinstance(word, bytes) else str(word)


def _upper(word: Arg) -> Arg:
    return word.upper() if isinstance(word, (str, bytes)) else word


def _blocks(command: Sequence[Arg]) -> bool:
    """Whether BLOCK stands among the options, that is before STREAMS."""
    options = takewhile(lambda word: word not in _STREAMS, map(_upper, command[1:]))
    return any(word in _BLOCK for word in options)
