"""History at hand: the latest rows, the rows since a version, and several loads in one.

Every row raises the version by at least one, so the rows since a version are at most as many as the
versions since then, and the rows before them need not be read.
"""

from collections.abc import Callable, Sequence

from onefate.broker.session.draft import Draft, RecordsNeeded
from onefate.broker.session.state import Row


def together(*reads: Callable[[], object]) -> None:
    """Make sure that everything the reads ask for is at hand, in one go.

    Raises:
        RecordsNeeded: naming all that is missing.
    """
    tables: dict[str, list[str]] = {}
    logs: dict[str, tuple[int, int]] = {}
    for read in reads:
        try:
            read()
        except RecordsNeeded as needed:
            for name, keys in needed.tables.items():
                tables.setdefault(name, []).extend(keys)
            for name, (start, stop) in needed.logs.items():
                known = logs.get(name, (start, stop))
                logs[name] = (min(known[0], start), max(known[1], stop))
    if tables or logs:
        raise RecordsNeeded(tables, logs)


def rows_at(draft: Draft, numbers: Sequence[int]) -> list[Row]:
    """Give the rows of these numbers that are still kept, in their order."""
    return [row for row in draft.rows.many([str(n) for n in numbers]) if row is not None]


def latest_rows(draft: Draft, count: int, since: int | None = None) -> list[Row]:
    """Give the latest `count` rows at or after the version `since`, oldest first."""
    total = draft.counters["row"]
    rows = rows_at(draft, range(max(total - count, _first_candidate(draft, since)), total))
    return [row for row in rows if _within(row, since)]


def rows_since(draft: Draft, since: int | None) -> list[Row]:
    """Give every kept row at or after the version `since`, oldest first; None is the beginning."""
    rows = rows_at(draft, range(_first_candidate(draft, since), draft.counters["row"]))
    return [row for row in rows if _within(row, since)]


def _first_candidate(draft: Draft, since: int | None) -> int:
    if since is None:
        return 0
    counters = draft.counters
    return max(0, counters["row"] - max(0, counters["version"] - since))


def _within(row: Row, since: int | None) -> bool:
    return since is None or row["record"]["cursorVersion"] >= since
