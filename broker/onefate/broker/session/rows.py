"""Rows: every motion of the world is one transition, numbered in the order it was recorded.

A row is minted, may commit one bundle of state, and may move in outcome afterwards; its number and
its place never change (spec: graph-session §5.1, §13.1; law id:never-reused).
"""

from collections.abc import Iterable, Mapping
from typing import Final

from onefate.broker.journey.canonical import canonical_digest
from onefate.broker.journey.scalars import same
from onefate.broker.journey.values import is_list, is_object
from onefate.broker.session.draft import Draft, number_of
from onefate.broker.session.state import (
    ABSENT,
    Attribution,
    Bundle,
    Cause,
    LastWrite,
    Outcome,
    PersonAct,
    Record,
    Row,
    detached,
)

UNDONE: Final = frozenset({"rejected", "rolled-back", "superseded"})
"""The outcomes of a fire whose effect does not stand."""


def find(draft: Draft, transition_id: str) -> Row | None:
    """Give the row of this id; None where none is kept."""
    n = number_of(transition_id)
    if n is None or n >= draft.counters["row"]:
        return None
    row = draft.rows.get(str(n))
    return row if row is not None and row["record"]["id"] == transition_id else None


def edit(draft: Draft, transition_id: str) -> Row:
    """Hand out the draft's own copy of a row that is known to be kept."""
    row = draft.rows.edit(str(number_of(transition_id)))
    if row is None:
        raise KeyError(transition_id)
    return row


def every(draft: Draft, start: int = 0) -> list[Row]:
    """Give all rows that are kept, from number `start` on, in order."""
    numbers = [str(n) for n in range(start, draft.counters["row"])]
    return [row for row in draft.rows.many(numbers) if row is not None]


def is_fire(row: Row) -> bool:
    """Say whether somebody fired it: only fires have a fate."""
    return row["record"]["cause"]["kind"] == "fired"


def action_of(row: Row) -> str:
    """Give the action of a fire."""
    return row["record"]["cause"].get("affordanceId", "")


def mint(
    draft: Draft, name: str, cause: Cause, attribution: Attribution, outcome: Outcome = "committed"
) -> Row:
    """Record a row under the next number; the caller fills it and counts the motion."""
    n = draft.counters["row"]
    draft.edit(Draft.counters)["row"] = n + 1
    epoch = f"{draft.epoch}." if draft.epoch else ""
    record = Record(
        id=f"{name}#{epoch}{n}",
        cause=cause,
        attribution=attribution,
        timestamp=draft.now,
        outcome=outcome,
        fromNode=draft.position["node"],
        cursorVersion=draft.counters["version"],
    )
    row = Row(record=record, n=n)
    draft.rows.put(str(n), row)
    if attribution["principal"] == "user":
        draft.people.append(PersonAct(id=record["id"], basis=attribution["basis"]))
    return row


def observe_nothing(row: Row, page: str | None = None) -> None:
    """Say of a row that nobody fired that no effect is claimed, and which page it leads to."""
    record = row["record"]
    record["effectVerified"] = "unobservable"
    record["toNode"] = record["fromNode"] if page is None else page


def commit_state(
    draft: Draft, row: Row, delta: Mapping[str, object], reads: Iterable[str] = ()
) -> None:
    """Write a delta as the row's one bundle; what it changed is the net change only."""
    state = draft.state
    changed = [key for key, value in delta.items() if not equal(state.get(key, ABSENT), value)]
    if changed:
        draft.replace(Draft.state, {**state, **{key: detached(delta[key]) for key in changed}})
    counters = draft.edit(Draft.counters)
    row["bundle"] = Bundle(seq=counters["bundle"], changed=changed, reads=list(reads))
    counters["bundle"] += 1
    if changed:
        _note_changes(draft, row, changed)


def _note_changes(draft: Draft, row: Row, changed: list[str]) -> None:
    principal = row["record"]["cause"]["principal"]
    write = LastWrite(row=row["n"], version=row["record"]["cursorVersion"])
    changes = dict(draft.changes)
    for key in changed:
        writers = changes.get(key, {})
        if principal not in writers or writers[principal]["row"] < write["row"]:
            changes[key] = {**writers, principal: write}
    draft.replace(Draft.changes, changes)


def count_state(draft: Draft, delta: Mapping[str, object]) -> None:
    """Count one motion, and one of the state if the delta named any key."""
    counters = draft.edit(Draft.counters)
    counters["version"] += 1
    if delta:
        counters["stateVersion"] += 1


def equal(left: object, right: object) -> bool:
    """Say whether two JSON values are the same: numbers by value, booleans never numbers."""
    containers = is_object(left) or is_list(left) or is_object(right) or is_list(right)
    if containers:
        return canonical_digest(left) == canonical_digest(right)
    return left is right or same(left, right)


def was_dropped(draft: Draft, transition_id: str) -> bool:
    """Say whether the id carries a number that this session has given out, to a row now gone."""
    n = number_of(transition_id)
    if n is None or n >= draft.counters["row"]:
        return False
    return draft.rows.get(str(n)) is None
