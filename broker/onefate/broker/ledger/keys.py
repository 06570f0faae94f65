"""Every key of the ledger, declared once: name, owner, type and life (store:declared).

All keys of a session carry their partition's hash tag, so they live in one slot on one node, with
Sentinel and on a cluster alike. The last part of a session's key, after a colon, has no colon in
it: a number, a fixed name, or an escaped token. So no two sessions share a key whatever their ids
contain.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from onefate.broker.ledger.ids import PARTITIONS, TAGS, Number, partition_of

Type = Literal["hash", "string", "zset", "list", "stream", "channel"]
Life = Literal["for ever", "the session's", "while open, then the retention", "the retention"]

NAMESPACE: Final = "of"
GROUP: Final = "w"
"""The one consumer group of every work stream."""


@dataclass(frozen=True, slots=True)
class KeyFamily:
    """One line of the declaration; `pattern` names its parts in angle brackets."""

    name: str
    pattern: str
    owner: str
    type: Type
    life: Life
    holds: str

    def matches(self, key: str, namespace: str = NAMESPACE) -> bool:
        """Tell whether a key of this family can have this name."""
        parts = re.split(r"<[a-z]+>", self.pattern)
        body = "".join(f"{re.escape(part)}(.+)" for part in parts[:-1]) + re.escape(parts[-1])
        return re.fullmatch(re.escape(namespace) + body, key) is not None


FAMILIES: Final = (
    KeyFamily("meta", ":meta", "namespace", "hash", "for ever",
              "partitions, schema and script version, written once"),
    KeyFamily("session", ":{<tag>}:s:<session>", "session", "hash", "the session's",
              "pins, revision, row counter, epoch, recent commits, one field a section"),
    KeyFamily("open", ":{<tag>}:o:<session>", "session", "zset", "the session's",
              "ids of the open fires in fire order"),
    KeyFamily("table", ":{<tag>}:t:<session>:<table>", "session", "hash", "the session's",
              "keyed rows of the machine"),
    KeyFamily("log", ":{<tag>}:l:<session>:<log>", "session", "list", "the session's",
              "append-only rows of the machine"),
    KeyFamily("row", ":{<tag>}:r:<session>:<number>", "fire", "string",
              "while open, then the retention", "the machine's record of one transition"),
    KeyFamily("fire", ":{<tag>}:f:<session>:<number>", "fire", "hash",
              "while open, then the retention", "what is known of one fire"),
    KeyFamily("payload", ":{<tag>}:p:<session>:<number>", "fire", "string",
              "while open, then the retention", "the input, as JSON"),
    KeyFamily("settlement", ":{<tag>}:d:<session>:<number>", "fire", "string", "the retention",
              "token, time, author, status, id, receipt; taken by SET NX, never rewritten"),
    KeyFamily("journal", ":{<tag>}:j:<session>:<number>", "fire", "zset",
              "while open, then the retention",
              "losing settlements, observations, later facts, earlier claims, by time"),
    KeyFamily("token", ":{<tag>}:k:<session>:<token>", "fire", "string", "the retention",
              "the fire that a caller's own token recorded"),
    KeyFamily("work", ":{<tag>}:q:<queue>", "partition", "stream", "for ever",
              "fires to be performed: session and id only"),
    KeyFamily("wake", ":{<tag>}:w", "partition", "channel", "for ever",
              "settlements and events announced; `@<n>` follows on a database n that is not 0"),
    KeyFamily("nudge", ":{<tag>}:n", "partition", "channel", "for ever",
              "a queue that has work, and its newest entry; `@<n>` follows, too"),
)  # fmt: skip
"""The declaration; docs/keys.md is generated from it, and a test holds live servers to it."""


@dataclass(frozen=True, slots=True)
class Partition:
    """The keys that all sessions of one partition share.

    A server's channels are those of all its databases, so the name of a channel tells which one it
    is of; keys are the database's own.
    """

    index: int
    namespace: str = NAMESPACE
    database: int = 0
    base: str = field(init=False, compare=False)
    """What every key of the partition begins with."""
    wake: str = field(init=False, compare=False)
    """The channel on which settlements are announced."""
    nudge: str = field(init=False, compare=False)
    """The channel on which work is announced."""

    def __post_init__(self) -> None:
        base = f"{self.namespace}:{{{TAGS[self.index]}}}"
        only = f"@{self.database}" if self.database else ""
        object.__setattr__(self, "base", base)
        object.__setattr__(self, "wake", f"{base}:w{only}")
        object.__setattr__(self, "nudge", f"{base}:n{only}")

    def work(self, queue: str) -> str:
        """Give the work stream of a queue."""
        return f"{self.base}:q:{queue}"


class SessionKeys:
    """The keys of one session."""

    __slots__ = (
        "_fire", "_journal", "_payload", "_settlement", "base", "id", "open", "partition",
        "session",
    )  # fmt: skip

    def __init__(self, session: str, namespace: str = NAMESPACE, database: int = 0) -> None:
        self.id = session
        self.partition = Partition(partition_of(session), namespace, database)
        self.base = self.partition.base
        self.session = f"{self.base}:s:{session}"
        self.open = f"{self.base}:o:{session}"
        self._fire = f"{self.base}:f:{session}:"
        self._payload = f"{self.base}:p:{session}:"
        self._settlement = f"{self.base}:d:{session}:"
        self._journal = f"{self.base}:j:{session}:"

    def table(self, name: str) -> str:
        """Give the hash of a table's rows."""
        return f"{self.base}:t:{self.id}:{name}"

    def log(self, name: str) -> str:
        """Give the list of a log's rows."""
        return f"{self.base}:l:{self.id}:{name}"

    def row(self, number: Number | str) -> str:
        """Give the machine's record of one transition."""
        return f"{self.base}:r:{self.id}:{number}"

    def fire(self, number: Number | str) -> str:
        """Give the hash of one fire."""
        return f"{self._fire}{number}"

    def payload(self, number: Number | str) -> str:
        """Give the input of one fire."""
        return f"{self._payload}{number}"

    def settlement(self, number: Number | str) -> str:
        """Give the settlement of one fire."""
        return f"{self._settlement}{number}"

    def journal(self, number: Number | str) -> str:
        """Give the journal of one fire."""
        return f"{self._journal}{number}"

    def token(self, token: str) -> str:
        """Give the memory of a caller's own token."""
        return f"{self.base}:k:{self.id}:{token.replace('%', '%25').replace(':', '%3A')}"


@lru_cache(16_384)
def session_keys(session: str, namespace: str, database: int) -> SessionKeys:
    """Give the keys of a session, made once."""
    return SessionKeys(session, namespace, database)


def meta(namespace: str = NAMESPACE) -> str:
    """Give the namespace record."""
    return f"{namespace}:meta"


def partitions(namespace: str = NAMESPACE, database: int = 0) -> Iterator[Partition]:
    """Give every partition of a namespace."""
    return (Partition(index, namespace, database) for index in range(PARTITIONS))


def family_of(key: str, namespace: str = NAMESPACE) -> KeyFamily | None:
    """Give the family a key belongs to, None when it is not declared."""
    return next((family for family in FAMILIES if family.matches(key, namespace)), None)


def as_markdown() -> str:
    """Give docs/keys.md."""
    lines = [
        "# Keys",
        "",
        "Generated from `onefate.broker.ledger.keys`. Every key begins with the namespace (`of` by",
        "default); all keys of a session carry the hash tag of their partition.",
        "",
        "| name | key | owner | type | life | holds |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {f.name} | `{NAMESPACE}{f.pattern}` | {f.owner} | {f.type} | {f.life} | {f.holds} |"
        for f in FAMILIES
    ]
    return "\n".join(lines) + "\n"
