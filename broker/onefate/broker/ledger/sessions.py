"""Sessions over a map: load one instant, commit one decision (fire:atomic).

`load` reads sections and records in one round trip; `commit` writes everything a decision changed,
or nothing. The revision is compared inside the script, so any number of processes may act on one
session at once and the result is some serial order of what they did. A commit whose reply was lost
is repeated with its token, and told what the first attempt did.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from onefate.broker.ledger.changes import (
    SECTION,
    Change,
    Committed,
    Conflict,
    Loaded,
    Pins,
    Program,
    Wanted,
)
from onefate.broker.ledger.codec import settlement_from
from onefate.broker.ledger.context import Context
from onefate.broker.ledger.faults import StaleFence, WrongKind, WrongPins
from onefate.broker.ledger.ids import FireId, checked_name
from onefate.broker.ledger.link import Arg, Reply
from onefate.broker.ledger.models import Kept, Settlement
from onefate.broker.ledger.reassert import Acknowledged
from onefate.broker.ledger.scripts import LOAD, Call, LoadHead
from onefate.broker.ledger.store import History, Words, number, raw, text, words

_NOTHING: Final = Wanted()
_UNKNOWN: Final = -1
_FIELDS: Final = 1000
"""Of one table in one read: a script cannot pass many thousands on."""


class MapSession:
    """The stored side of one session over a map."""

    def __init__(self, context: Context, session: str, pins: Pins) -> None:
        self.session = checked_name("session id", session, 128)
        self.pins = pins
        self._context = context
        self._store = context.store
        self._keys = context.store.keys(session)

    async def load(self, *, known_revision: int | None = None, wanted: Wanted = _NOTHING) -> Loaded:
        """Read one instant of the session, and begin a new epoch when the store's history changed.

        Sections are left out when the revision is the known one. A session nobody has created has
        revision 0 and no sections.

        Raises:
            WrongPins: it was created over another map or with other options.
            WrongKind: it is a plain ledger.
        """
        names, reads = self._reads(wanted)
        known = _UNKNOWN if known_revision is None else known_revision

        def make(history: History) -> Call:
            pins = self.pins
            head = LoadHead(
                known, history.topology, history.epoch, pins.kind, pins.map, pins.options
            )
            return Call(LOAD, [self._keys.session, *names], [*head, *reads])

        reply = await self._store.write(make)
        if text(reply[0]) == "pins":
            raise self._mismatch(*(text(word) for word in reply[1:4]))
        return self._loaded(wanted, reply)

    async def commit(self, change: Change) -> Committed | Conflict:
        """Write a decision: everything of it, or nothing.

        Raises:
            StaleFence: a settlement's worker does not hold the fire's claim any more; nothing was
                written.
        """
        program = Program(self._keys, change, self._store.settings.retention_ms).write_all()
        reply = await self._send(change, program)
        match text(reply[0]):
            case "conflict":
                return Conflict(number(reply[1]))
            case "settled":
                return Conflict(change.revision, text(reply[1]))
            case "stale":
                fence = number(reply[1])
                fenced = (one.id for one in change.settlements if one.fence == fence)
                raise StaleFence(next(fenced, ""), fence)
            case _:
                return self._committed(change, reply, await self._store.confirm())

    async def _send(self, change: Change, program: Program) -> Words:
        hub = self._context.hub
        expected = [hub.expect(self.session, FireId.parse(fire.id)) for fire in change.fires]
        done = False
        try:
            reply = await self._store.write(lambda history: program.call(history, self.pins))
            done = text(reply[0]) == "committed"
        finally:
            if not done:
                for address in expected:
                    hub.forget(address)
        return reply

    async def listen(self, listener: Callable[[bytes], None]) -> Callable[[], None]:
        """Call the listener for every event announced on the session; gives the way to stop it."""
        return await self._context.hub.listen(self.session, listener)

    def _reads(self, wanted: Wanted) -> tuple[list[str], list[Arg]]:
        keys = self._keys
        names: list[str] = []
        reads: list[Arg] = []
        for table, fields in wanted.tables.items():
            for some in _batched(fields):
                names.append(keys.table(table))
                reads += ("rows", len(some), *some)
        for log, (start, stop) in wanted.logs.items():
            if stop > start:
                names.append(keys.log(log))
                reads += ("log", start, stop - 1)
        singles = [
            *(keys.row(row) for row in wanted.rows),
            *(keys.settlement(FireId.parse(each).number) for each in wanted.settlements),
        ]
        return [*names, *singles], [*reads, *("value" for _ in singles)]

    def _loaded(self, wanted: Wanted, reply: Words) -> Loaded:
        tag, revision, epoch, n, now, flat, results = reply
        self._store.heard_time(number(now))
        found = iter(words(results))
        tables: dict[str, Mapping[str, bytes | None]] = {}
        for table, fields in wanted.tables.items():
            row = [_bytes(value) for _ in _batched(fields) for value in words(next(found))]
            tables[table] = dict(zip(fields, row, strict=True))
        logs = {
            log: [raw(value) for value in words(next(found))] if stop > start else []
            for log, (start, stop) in wanted.logs.items()
        }
        rows = {row: _bytes(next(found)) for row in wanted.rows}
        settlements = {each: _settlement(next(found)) for each in wanted.settlements}
        return Loaded(
            number(revision), number(epoch), number(n), number(now),
            None if text(tag) == "same" else _sections(words(flat)),
            tables, logs, rows, settlements,
        )  # fmt: skip

    def _committed(self, change: Change, reply: Words, kept: Kept) -> Committed:
        self._store.heard_time(number(reply[2]))
        won: dict[str, bool] = {}
        settlements: dict[str, Settlement] = {}
        for one, tag, stored in zip(change.settlements, reply[3::2], reply[4::2], strict=True):
            won[one.id] = text(tag) == "won"
            if stored:
                settlements[one.id] = settlement_from(raw(stored))
            if won[one.id]:
                self._context.reassertion.remember(
                    Acknowledged(self.session, one.id, settlement=raw(stored))
                )
        return Committed(number(reply[1]), number(reply[2]), won, settlements, kept)

    def _mismatch(self, kind: str, journey_map: str, options: str) -> WrongKind | WrongPins:
        if kind != self.pins.kind:
            return WrongKind(self.session, kind)
        if journey_map != self.pins.map:
            return WrongPins(self.session, "map", journey_map, self.pins.map)
        return WrongPins(self.session, "options", options, self.pins.options)


def _sections(flat: Sequence[Reply]) -> dict[str, bytes]:
    pairs = zip(flat[::2], flat[1::2], strict=True)
    return {
        text(field).removeprefix(SECTION): raw(value)
        for field, value in pairs
        if text(field).startswith(SECTION)
    }


def _batched(fields: Sequence[str]) -> Iterator[Sequence[str]]:
    return (fields[start : start + _FIELDS] for start in range(0, len(fields), _FIELDS))


def _bytes(value: Reply) -> bytes | None:
    return None if value is None else raw(value)


def _settlement(stored: Reply) -> Settlement | None:
    return None if stored is None else settlement_from(raw(stored))
