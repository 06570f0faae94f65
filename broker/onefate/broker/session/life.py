"""The life of a fire, as data: what can happen to it where it stands, and how that settles it.

A *stand* is what is on record of a fire: it waits; it was committed and nothing observed its
effect; it was committed and a report backs it; or it was undone. The first settling event writes
the receipt; every later one only moves the stand (spec: graph-session §9.5, §9.7; law
settle:immutable). `docs/life.md` is written from these tables.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from onefate.broker.session.state import EffectStatus, OutcomeAtRest, Record

Stand: TypeAlias = Literal["waiting", "unobserved", "reported", "undone"]
Event: TypeAlias = Literal["reported", "completed", "failed", "rejected", "superseded"]

MOVES: Final[Mapping[tuple[Stand, Event], OutcomeAtRest]] = {
    ("waiting", "reported"): "committed",
    ("waiting", "completed"): "committed",
    ("waiting", "failed"): "rejected",
    ("waiting", "rejected"): "rejected",
    ("waiting", "superseded"): "superseded",
    ("unobserved", "failed"): "rolled-back",
    ("unobserved", "rejected"): "rolled-back",
    ("unobserved", "superseded"): "superseded",
    ("reported", "rejected"): "rolled-back",
    ("reported", "superseded"): "superseded",
}
"""The outcome after an event; an event that is not here leaves the outcome as it is.

`completed` is the handler's end where no report is awaited, or an outside source's word that it was
performed; `failed` is the handler's failure, a failed check, or an outside source's word that it
was not; `rejected` and `superseded` are the app's words.
"""

SETTLES: Final[Mapping[Event, EffectStatus]] = {
    "reported": "performed",
    "completed": "performed",
    "failed": "refused",
    "rejected": "refused",
    "superseded": "unobservable",
}
"""How an event settles a fire that is open; a failed check turns the first two into `failed`."""


def stand_of(record: Record) -> Stand:
    """Give where a fire stands."""
    if record["outcome"] == "pending":
        return "waiting"
    if record["outcome"] != "committed":
        return "undone"
    return "unobserved" if record.get("effectVerified") == "unobservable" else "reported"


def after(record: Record, event: Event) -> OutcomeAtRest | None:
    """Give the outcome that an event moves a fire to, None where it leaves it as it is."""
    return MOVES.get((stand_of(record), event))
