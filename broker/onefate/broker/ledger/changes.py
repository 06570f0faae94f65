"""What a session over a map loads and commits: plain values, and the commit's operations.

A commit is one script call whose operations name their keys by index, so that every key it touches
is declared (store:declared).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from onefate.broker.ledger.codec import ANNOUNCED
from onefate.broker.ledger.ids import EPOCH, FireId
from onefate.broker.ledger.keys import SessionKeys
from onefate.broker.ledger.link import Arg
from onefate.broker.ledger.models import EffectStatus, Kept, Settlement
from onefate.broker.ledger.scripts import COMMIT, Call, CommitHead
from onefate.broker.ledger.store import History

SECTION: Final = "."
"""What a section's field in the session hash begins with."""

_WORDS: Final = 1000
_FIXED: Final = 4


@dataclass(frozen=True, slots=True)
class Pins:
    """What a session is created with and can only be opened with again."""

    map: str
    """The fingerprint of the journey map."""
    options: str = ""
    """The canonical text, or digest, of the session's options."""
    kind: str = "map"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFire:
    """A fire that a commit records; with a queue it is queued in the same step."""

    id: str
    action: str
    principal: str
    by: str
    payload: bytes | None = None
    queue: str | None = None
    repeatable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSettlement:
    """A settlement that a commit writes; `fence` is the claim of the worker that performed it."""

    id: str
    status: EffectStatus
    by: str
    envelope: bytes
    fence: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a work stream: which fire of which session is to be performed."""

    queue: str
    partition: int
    entry: str
    session: str
    fire_id: str


@dataclass(frozen=True, slots=True)
class Row:
    """A machine's record of one transition, kept under its number with a life of its own."""

    value: bytes
    ends: bool
    """True: the retention runs from now. False: it runs from the fire's settlement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One decision, committed together or not at all (fire:atomic)."""

    revision: int
    """The revision it was decided on; 0 creates the session."""
    token: str
    """Names this commit: asked again, it is told what the first attempt did."""
    counter: int
    """The session's row counter after it."""
    sections: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    tables: Mapping[str, Mapping[str, bytes | None]] = field(
        default_factory=dict[str, Mapping[str, bytes | None]]
    )
    """Per table, key → value, or None to delete."""
    logs: Mapping[str, Sequence[bytes]] = field(default_factory=dict[str, Sequence[bytes]])
    rows: Mapping[str, Row] = field(default_factory=dict[str, Row])
    """Transition records by number."""
    fires: Sequence[NewFire] = ()
    settlements: Sequence[NewSettlement] = ()
    finished: Sequence[Entry] = ()
    """Work entries that need no redelivery any more."""
    events: Sequence[bytes] = ()
    """Announced to whoever listens to the session."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The records a decision asks for, besides the sections."""

    tables: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    logs: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """Per log, first index and the one after the last."""
    rows: Sequence[str] = ()
    """Numbers of transition records."""
    settlements: Sequence[str] = ()
    """Fire ids."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """One instant of a session; `sections` is None when the revision is the one already known."""

    revision: int
    epoch: int
    counter: int
    now_ms: int
    sections: Mapping[str, bytes] | None
    tables: Mapping[str, Mapping[str, bytes | None]]
    logs: Mapping[str, Sequence[bytes]]
    rows: Mapping[str, bytes | None]
    settlements: Mapping[str, Settlement | None]

    @property
    def exists(self) -> bool:
        """Tell whether the session has been created."""
        return self.revision > 0


@dataclass(frozen=True, slots=True)
class Committed:
    """Everything was written."""

    revision: int
    now_ms: int
    won: Mapping[str, bool]
    settlements: Mapping[str, Settlement]
    kept: Kept


@dataclass(frozen=True, slots=True)
class Conflict:
    """Nothing was written: the session has moved on; load and decide again."""

    revision: int
    settled: str | None = None
    """The fire that a settlement stands of already, and that the decision would have settled."""


class Program:
    """A commit's keys and operations in the making."""

    def __init__(self, keys: SessionKeys, change: Change, retention_ms: int) -> None:
        self._keys = keys
        self._change = change
        self._retention = retention_ms
        self._names: list[str] = [
            keys.session,
            keys.open,
            keys.partition.wake,
            keys.partition.nudge,
        ]
        self._places: dict[str, int] = {}
        self._operations: list[Arg] = []
        self._fires: dict[str, int] = {}

    def call(self, history: History, pins: Pins) -> Call:
        """Fill the slots of the script for one attempt."""
        change = self._change
        fenced = [one for one in change.settlements if one.fence is not None]
        base = change.revision or history.epoch * EPOCH
        head = CommitHead(
            change.revision, base + 1, change.token, history.topology, self._retention, ANNOUNCED,
            len(change.settlements), len(fenced),
        )  # fmt: skip
        middle: list[Arg] = []
        for one in change.settlements:
            number = FireId.parse(one.id).number
            middle += (
                self._fire(one.id), change.token, one.by, one.status, one.id,
                f"{self._keys.id}:{number}", one.envelope,
            )  # fmt: skip
        for one in fenced:
            middle += (self._fire(one.id), one.fence or 0)
        facts: list[Arg] = ["n", change.counter]
        if not change.revision:
            facts += ("kind", pins.kind, "map", pins.map, "options", pins.options)
            facts += ("topology", history.topology, "epoch", history.epoch)
        last = ["HSET", 1, len(facts), *facts]
        return Call(COMMIT, self._names, [*head, *middle, *self._operations, *last])

    def write_all(self) -> "Program":
        """Add every operation of the change."""
        change = self._change
        for one in change.settlements:
            self._fire(one.id)
        for event in change.events:
            self._add("PUBLISH", self._keys.partition.wake, f"E{self._keys.id}\n".encode() + event)
        self._pairs(self._keys.session, {SECTION + k: v for k, v in change.sections.items()})
        for name, rows in change.tables.items():
            self._table(self._keys.table(name), rows)
        for name, entries in change.logs.items():
            self._chunks("RPUSH", self._keys.log(name), list(entries))
        for number, row in change.rows.items():
            life = ("PX", self._retention) if row.ends else ()
            self._add("SET", self._keys.row(number), row.value, *life)
        for fire in change.fires:
            self._record(fire)
        for entry in change.finished:
            stream = self._keys.partition.work(entry.queue)
            self._add("XACK", stream, "w", entry.entry)
            self._add("XDEL", stream, entry.entry)
        return self

    def _record(self, fire: NewFire) -> None:
        number = FireId.parse(fire.id).number
        key = self._keys.fire(number)
        fields: dict[str, str] = {
            "a": fire.action, "p": fire.principal, "s": "open", "b": fire.by,
            "k": self._change.token, "q": fire.queue or "", "r": "1" if fire.repeatable else "",
        }  # fmt: skip
        self._pairs(key, {name: value.encode() for name, value in fields.items() if value})
        self._add("STAMP", key, "t")
        if fire.payload is not None:
            self._add("SET", self._keys.payload(number), fire.payload)
        self._add("ZADD", self._keys.open, number.order, fire.id)
        if fire.queue is not None:
            stream = self._keys.partition.work(fire.queue)
            self._add("QUEUE", stream, fire.queue, self._keys.id, fire.id)

    def _table(self, key: str, rows: Mapping[str, bytes | None]) -> None:
        self._pairs(key, {name: value for name, value in rows.items() if value is not None})
        self._chunks("HDEL", key, [name for name, value in rows.items() if value is None])

    def _pairs(self, key: str, pairs: Mapping[str, bytes]) -> None:
        self._chunks("HSET", key, [word for pair in pairs.items() for word in pair])

    def _chunks(self, command: str, key: str, words: Sequence[Arg]) -> None:
        for start in range(0, len(words), _WORDS):
            self._add(command, key, *words[start : start + _WORDS])

    def _add(self, command: str, key: str, *words: Arg) -> None:
        self._operations += (command, self._place(key), len(words), *words)

    def _place(self, key: str) -> int:
        if key in self._names[:_FIXED]:
            return self._names.index(key) + 1
        if key not in self._places:
            self._names.append(key)
            self._places[key] = len(self._names)
        return self._places[key]

    def _fire(self, fire_id: str) -> int:
        """Give the index of the fire's five keys, which stand in a row."""
        if fire_id not in self._fires:
            keys, number = self._keys, FireId.parse(fire_id).number
            self._fires[fire_id] = len(self._names) + 1
            five = (
                keys.fire(number), keys.payload(number), keys.settlement(number),
                keys.journal(number), keys.row(number),
            )  # fmt: skip
            for name in five:
                self._names.append(name)
                self._places.setdefault(name, len(self._names))
        return self._fires[fire_id]
