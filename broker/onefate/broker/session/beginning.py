"""The sections of a session that has just begun, before anything has happened in it."""

from collections.abc import Callable

from onefate.broker.session.state import (
    Asks,
    Counters,
    FrameSection,
    Nodes,
    Position,
    Recent,
    Registry,
    Served,
)


def _counters() -> Counters:
    return Counters(
        version=0, stateVersion=0, structureVersion=0, row=0, ask=1, offer=1, ack=1, work=0,
        group=1, bundle=0, frame=0, logs={},
    )  # fmt: skip


EMPTY: dict[str, Callable[[], object]] = {
    "counters": _counters,
    "position": lambda: Position(node="", reported=True, reports=0, focus=""),
    "state": dict,
    "changes": dict,
    "pending": list,
    "latches": list,
    "fates": dict,
    "registry": lambda: Registry(bindings={}, declared={}, groups={}, dirty=False, fingerprint=""),
    "nodes": lambda: Nodes(present={}, instances={}, visible={}, mounts={}, dormant={}, warned=[]),
    "asks": lambda: Asks(live={}, newest={}, answers=0),
    "grants": list,
    "frame": lambda: FrameSection(latest={}),
    "carried": dict,
    "served": lambda: Served(at=[-1, -1], offers={}),
    "decided": dict,
    "work": dict,
    "recent": lambda: Recent(fires=[], refusals=[], fireTotal=0, refusalTotal=0),
}
"""Each section's value in a session that has just begun."""
