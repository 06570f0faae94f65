"""How a session's values are kept in the store: JSON bytes, and back.

The machine's `rows` and `receipts` have their own lives (a transition's record, a fire's
settlement); every other table is a hash of the session and every log a list of it.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from onefate.broker.door.following import Announced
from onefate.broker.door.orders import order_bytes
from onefate.broker.errors import NeverExisted
from onefate.broker.ledger.changes import Change, Entry, Loaded, NewFire, NewSettlement, Row, Wanted
from onefate.broker.ledger.ids import FireId
from onefate.broker.session.draft import Draft, RecordsNeeded, Snapshot, number_of
from onefate.broker.session.history import Logged, Tabled
from onefate.broker.session.state import Receipt

ROWS: Final = "rows"
RECEIPTS: Final = "receipts"
_OWN_LIFE: Final = (ROWS, RECEIPTS)
TABLES: Final = tuple(
    kind.table
    for kind in vars(Draft).values()
    if isinstance(kind, Tabled) and kind.table not in _OWN_LIFE
)
"""Every hash that a session may have."""
LOGS: Final = tuple(kind.log for kind in vars(Draft).values() if isinstance(kind, Logged))
"""Every list that a session may have."""
_MOST_AT_HAND: Final = 4096
_JSON: Final = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Performed:
    """A worker's standing towards the fire whose outcome is being decided."""

    fire_id: str
    fence: int
    entry: Entry | None = None
    """The work entry to be finished with the outcome; only of a repeatable fire."""


@dataclass(frozen=True, slots=True)
class Own:
    """Who this process is, and the queue that only it reads."""

    name: str
    queue: str


@dataclass(slots=True)
class AtHand:
    """What a process has loaded of a session, and the revision it is true at."""

    snapshot: Snapshot = field(default_factory=lambda: Snapshot(sections={}))
    revision: int = -1
    """-1: nothing is known."""
    epoch: int = 0
    raw: dict[str, bytes] = field(default_factory=dict[str, bytes])
    unsettled: set[str] = field(default_factory=set[str])
    """Ids of which it is known that there was no receipt at that revision."""

    def take(self, loaded: Loaded) -> bool:
        """Take an instant of the session in; True if it is another than the one at hand."""
        moved = loaded.revision != self.revision
        if loaded.epoch != self.epoch:
            self.snapshot.tables, self.snapshot.logs = {}, {}
        if moved:
            self._move_to(loaded.revision)
            self.epoch = loaded.epoch
        if loaded.sections is not None:
            self._take_sections(loaded.sections)
        self._take_records(loaded)
        return moved

    def follow(self, announced: Announced) -> bool:
        """Take in what another process has committed; False: something before it is missing.

        It names every row that it changed, so the others stand.
        """
        if announced.revision <= self.revision:
            return True
        if announced.base != self.revision:
            return False
        rows = self.snapshot.tables.get(ROWS, {})
        rows |= _decoded(announced.rows)
        self._move_to(announced.revision)
        for name, raw in announced.sections.items():
            self.snapshot.sections[name] = json.loads(raw)
        self.raw |= announced.sections
        self.snapshot.tables[ROWS] = rows
        return True

    def _move_to(self, revision: int) -> None:
        """Forget the records that the session's motion may have changed; receipts never change."""
        receipts = self.snapshot.tables.get(RECEIPTS, {})
        for fire_id in self.unsettled:
            if receipts.get(fire_id) is None:
                receipts.pop(fire_id, None)
        self.unsettled.clear()
        self.snapshot.tables = {RECEIPTS: receipts}
        self.revision = revision

    def applied(self, draft: Draft, change: Change, revision: int) -> None:
        """Take in what this process has just committed."""
        decision = draft.decision
        self.revision = revision
        self.raw |= change.sections
        self.snapshot.sections |= decision.sections
        for table, rows in decision.tables.items():
            self.snapshot.tables.setdefault(table, {}).update(rows)
        counts = draft.counters["logs"]
        for log, entries in decision.logs.items():
            known = self.snapshot.logs.setdefault(log, {})
            known.update(enumerate(entries, counts[log] - len(entries)))
        self._bound()

    def knows_receipt(self, fire_id: str) -> bool:
        """Tell whether a fire's receipt is at hand."""
        return self.snapshot.tables.get(RECEIPTS, {}).get(fire_id) is not None

    def missing_rows(self, fire_ids: Iterable[str]) -> tuple[str, ...]:
        """Give the numbers of the fires' rows that are not at hand."""
        known = self.snapshot.tables.get(ROWS, {})
        numbers = (str(number_of(each)) for each in fire_ids)
        return tuple(number for number in numbers if number not in known)

    def forget(self) -> None:
        """Know nothing any more: the next decision loads anew."""
        self.revision = -1
        self.snapshot.sections, self.raw = {}, {}

    def _take_sections(self, sections: Mapping[str, bytes]) -> None:
        for name, raw in sections.items():
            if self.raw.get(name) != raw:
                self.snapshot.sections[name] = json.loads(raw)
        for name in self.raw.keys() - sections.keys():
            del self.snapshot.sections[name]
        self.raw = dict(sections)

    def _take_records(self, loaded: Loaded) -> None:
        self._bound()
        tables = self.snapshot.tables
        for table, found in loaded.tables.items():
            tables.setdefault(table, {}).update(_decoded(found))
        if loaded.rows:
            tables.setdefault(ROWS, {}).update(_decoded(loaded.rows))
        for fire_id, settlement in loaded.settlements.items():
            own = settlement is not None and settlement.id == fire_id
            receipt = settlement.envelope if own and settlement is not None else None
            tables.setdefault(RECEIPTS, {})[fire_id] = receipt
            if receipt is None:
                self.unsettled.add(fire_id)

    def take_impossible(self, needed: RecordsNeeded) -> None:
        """Know that there is no receipt under what is no fire's id."""
        receipts = self.snapshot.tables.setdefault(RECEIPTS, {})
        receipts.update(
            (each, None) for each in needed.tables.get(RECEIPTS, ()) if not is_fire_id(each)
        )

    def take_logs(self, wanted: Wanted, loaded: Loaded) -> None:
        """Take in the slices of logs that were asked for."""
        for log, (start, _) in wanted.logs.items():
            known = self.snapshot.logs.setdefault(log, {})
            known.update(enumerate(map(json.loads, loaded.logs[log]), start))

    def _bound(self) -> None:
        """Keep the memory of one session small; what is dropped is loaded again when asked for."""
        size = sum(map(len, self.snapshot.tables.values())) + sum(
            map(len, self.snapshot.logs.values())
        )
        if size > _MOST_AT_HAND:
            self.snapshot.tables, self.snapshot.logs = {}, {}


def wanted_by(needed: RecordsNeeded) -> Wanted:
    """Say what to load for a decision that needs records."""
    tables = {name: keys for name, keys in needed.tables.items() if name not in _OWN_LIFE}
    receipts = tuple(each for each in needed.tables.get(RECEIPTS, ()) if is_fire_id(each))
    return Wanted(tables, needed.logs, needed.tables.get(ROWS, ()), receipts)


def change_of(
    draft: Draft, revision: int, token: str, own: Own, performed: Performed | None
) -> Change:
    """Give everything a decision changes, as the store takes it."""
    decision = draft.decision
    open_fires = {latch["id"] for latch in draft.latches}
    rows = cast("Mapping[str, Mapping[str, object]]", decision.tables.get(ROWS, {}))
    return Change(
        revision=revision,
        token=token,
        counter=draft.counters["row"],
        sections={name: encoded(value) for name, value in decision.sections.items()},
        tables={
            name: {key: None if row is None else encoded(row) for key, row in table.items()}
            for name, table in decision.tables.items()
            if name not in _OWN_LIFE
        },
        logs={log: [encoded(entry) for entry in entries] for log, entries in decision.logs.items()},
        rows={number: _row(row, open_fires) for number, row in rows.items()},
        fires=[
            NewFire(
                id=order.id,
                action=order.action,
                principal=order.principal,
                by=own.name,
                payload=order_bytes(order) if order.runs else None,
                queue=(order.queue or own.queue) if order.runs else None,
            )
            for order in decision.fires
        ],
        settlements=[
            _settlement(fire_id, receipt, own.name, performed)
            for fire_id, receipt in decision.receipts.items()
        ],
        finished=[performed.entry] if performed is not None and performed.entry else (),
    )


def is_fire_id(text: str) -> bool:
    """Tell whether this can be a fire's id at all."""
    try:
        FireId.parse(text)
    except NeverExisted:
        return False
    return True


def encoded(value: object) -> bytes:
    """Give a value's JSON; texts that are no valid Unicode are kept by their escapes."""
    return _JSON.encode(value).encode()


def _decoded(found: Mapping[str, bytes] | Mapping[str, bytes | None]) -> dict[str, object]:
    return {key: None if raw is None else json.loads(raw) for key, raw in found.items()}


def _row(row: Mapping[str, object], open_fires: set[str]) -> Row:
    record = cast("Mapping[str, object]", row["record"])
    return Row(encoded(row), ends=record["id"] not in open_fires)


def _settlement(
    fire_id: str, receipt: Receipt, by: str, performed: Performed | None
) -> NewSettlement:
    own = performed is not None and performed.fire_id == fire_id
    return NewSettlement(
        id=fire_id,
        status=receipt["effectStatus"],
        by=by,
        envelope=encoded(receipt),
        fence=performed.fence if own and performed is not None else None,
    )
