"""History as a draft sees it: what is stored, with this draft's own changes on top.

Records are loaded on demand; reading one that is not at hand raises `RecordsNeeded`.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Generic, Protocol, Self, TypeVar, cast, overload

from onefate.broker.session.decision import Decision, RecordsNeeded, Snapshot
from onefate.broker.session.state import detached

V = TypeVar("V")
LONGEST_KEY: Final = 8192
"""Characters; a key is an id of the map's own words, a digest or a number."""


class Source(Protocol):
    """The draft, as its tables and logs see it."""

    snapshot: Snapshot
    decision: Decision

    def entries(self, log: str) -> int:
        """Count the entries of a log."""
        ...

    def count_entry(self, log: str) -> None:
        """Count one more entry of a log."""
        ...


class Table(Generic[V]):
    """Keyed history of one kind, as this draft sees it."""

    def __init__(self, draft: Source, name: str) -> None:
        self._draft = draft
        self._name = name

    def want(self, keys: Iterable[str]) -> None:
        """Make sure that all of `keys` are at hand, in one go.

        Raises:
            RecordsNeeded: naming every key that is not.
        """
        at_hand = self._draft.snapshot.tables.get(self._name, {})
        written = self._draft.decision.tables.get(self._name, {})
        unread = (key for key in keys if key not in at_hand and key not in written)
        missing = [key for key in unread if _can_be_written(key)]
        if missing and not self._draft.snapshot.complete:
            raise RecordsNeeded(tables={self._name: missing})

    def get(self, key: str) -> V | None:
        """Give the value under `key` (treat it as frozen), None where there is none."""
        written = self._draft.decision.tables.get(self._name, {})
        if key in written:
            return cast("V | None", written[key])
        self.want((key,))
        return cast("V | None", self._draft.snapshot.tables.get(self._name, {}).get(key))

    def many(self, keys: Sequence[str]) -> list[V | None]:
        """Give the values under `keys` in their order, loaded together."""
        self.want(keys)
        at_hand = self._draft.snapshot.tables.get(self._name, {})
        written = self._draft.decision.tables.get(self._name, {})
        found = (written[key] if key in written else at_hand.get(key) for key in keys)
        return cast("list[V | None]", list(found))

    def put(self, key: str, value: V) -> None:
        """Write `value` under `key`."""
        self._draft.decision.tables.setdefault(self._name, {})[key] = value

    def edit(self, key: str) -> V | None:
        """Hand out this draft's own copy of the value under `key`, which will be written."""
        written = self._draft.decision.tables.get(self._name, {})
        if key in written:
            return cast("V | None", written[key])
        value = self.get(key)
        if value is None:
            return None
        copy = detached(value)
        self.put(key, copy)
        return copy

    def delete(self, key: str) -> None:
        """Remove the value under `key`."""
        self._draft.decision.tables.setdefault(self._name, {})[key] = None


class Log(Generic[V]):
    """Append-only history of one kind; its length is a counter of the session."""

    def __init__(self, draft: Source, name: str) -> None:
        self._draft = draft
        self._name = name

    def __len__(self) -> int:
        """Count all entries, those of this decision included."""
        return self._draft.entries(self._name)

    def append(self, entry: V) -> None:
        """Add one entry at the end."""
        self._draft.count_entry(self._name)
        self._draft.decision.logs.setdefault(self._name, []).append(entry)

    def tail(self, count: int) -> list[V]:
        """Give the last `count` entries, oldest first."""
        return self.slice(max(0, len(self) - count), len(self))

    def all(self) -> list[V]:
        """Give every entry, oldest first."""
        return self.slice(0, len(self))

    def slice(self, start: int, stop: int) -> list[V]:
        """Give entries `start` to `stop` (exclusive).

        Raises:
            RecordsNeeded: where some are not at hand.
        """
        fresh = self._draft.decision.logs.get(self._name, [])
        stored = len(self) - len(fresh)
        at_hand = self._draft.snapshot.logs.get(self._name, {})
        missing = [i for i in range(start, min(stop, stored)) if i not in at_hand]
        if missing:
            raise RecordsNeeded(logs={self._name: (missing[0], missing[-1] + 1)})
        old = [at_hand[i] for i in range(start, min(stop, stored))]
        new = fresh[max(0, start - stored) : max(0, stop - stored)]
        return cast("list[V]", [*old, *new])


class Tabled(Generic[V]):
    """A named table of the draft, opened when it is first read as an attribute."""

    def __init__(self, table: str) -> None:
        self.table = table

    def __set_name__(self, owner: type[object], name: str) -> None:
        """Take the attribute's name."""
        self._name = name

    @overload
    def __get__(self, draft: None, owner: type[object]) -> Self: ...
    @overload
    def __get__(self, draft: Source, owner: type[object]) -> Table[V]: ...
    def __get__(self, draft: Source | None, owner: type[object]) -> Self | Table[V]:
        """Open the table, once for each draft."""
        if draft is None:
            return self
        opened: Table[V] = Table(draft, self.table)
        vars(draft)[self._name] = opened
        return opened


class Logged(Generic[V]):
    """A named log of the draft, opened when it is first read as an attribute."""

    def __init__(self, log: str) -> None:
        self.log = log

    def __set_name__(self, owner: type[object], name: str) -> None:
        """Take the attribute's name."""
        self._name = name

    @overload
    def __get__(self, draft: None, owner: type[object]) -> Self: ...
    @overload
    def __get__(self, draft: Source, owner: type[object]) -> Log[V]: ...
    def __get__(self, draft: Source | None, owner: type[object]) -> Self | Log[V]:
        """Open the log, once for each draft."""
        if draft is None:
            return self
        opened: Log[V] = Log(draft, self.log)
        vars(draft)[self._name] = opened
        return opened


def _can_be_written(key: str) -> bool:
    """Say whether anything can be kept under a key: half of a surrogate pair is in none.

    A key that is longer than any is asks for nothing, and takes no memory.
    """
    if len(key) > LONGEST_KEY:
        return False
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True
