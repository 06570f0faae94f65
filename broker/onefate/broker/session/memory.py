"""A whole session in memory: what decisions are made from, and what they leave behind.

The complete snapshot has all history at hand, so no decision asks for records. It serves tests,
users' experiments, and as the oracle that a session on a server is held against.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from onefate.broker.journey import JourneyMap
from onefate.broker.session.draft import Code, Decision, Draft, Snapshot
from onefate.broker.session.options import SessionOptions
from onefate.broker.session.state import Position, detached

T = TypeVar("T")


def new_session(options: SessionOptions) -> dict[str, object]:
    """Give the sections that differ from empty ones in a session that has just begun."""
    return {
        "position": Position(node=options.node, reported=True, reports=0, focus=options.node),
        "state": detached(dict(options.state)),
    }


def apply(snapshot: Snapshot, decision: Decision) -> None:
    """Write a decision into a complete snapshot."""
    snapshot.sections.update(decision.sections)
    for name, changes in decision.tables.items():
        table = snapshot.tables.setdefault(name, {})
        for key, value in changes.items():
            if value is None:
                table.pop(key, None)
            else:
                table[key] = value
    for name, entries in decision.logs.items():
        log = snapshot.logs.setdefault(name, {})
        for entry in entries:
            log[len(log)] = entry


class Memory:
    """One session, decided and kept in this process.

    `decide` runs a decision on the session as it stands and keeps what it changed. What a decision
    orders to run is the caller's to see to.
    """

    def __init__(
        self,
        journey_map: JourneyMap,
        options: Mapping[str, object] | SessionOptions | None = None,
        *,
        now: int = 0,
    ) -> None:
        """Begin a session over a map, at a time in milliseconds.

        Raises:
            BadOption: an option that means nothing.
            UnknownNode: the start page is not a page of the map.
        """
        read = options if isinstance(options, SessionOptions) else None
        self.map = journey_map
        self.options = read or SessionOptions.read(_wire(options), journey_map)
        self.snapshot = Snapshot(sections=new_session(self.options), complete=True)
        self.code = Code()
        self.now = now
        self.epoch = 0
        """Which history of a store the session is in; ids made in a later one say so."""

    def draft(self) -> Draft:
        """Give a working copy of the session as it stands."""
        return Draft(
            self.map, self.options, self.snapshot, now=self.now, code=self.code, epoch=self.epoch
        )

    def commit(self, decision: Decision) -> None:
        """Keep what was decided."""
        apply(self.snapshot, decision)

    def decide(self, decision: Callable[[Draft], T]) -> T:
        """Decide, keep what was decided, and give the result; an error keeps nothing."""
        draft = self.draft()
        result = decision(draft)
        self.commit(draft.decision)
        return result


def _wire(options: Mapping[str, object] | SessionOptions | None) -> Mapping[str, object]:
    return {} if options is None or isinstance(options, SessionOptions) else options
