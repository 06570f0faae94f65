"""How a fire came out, in one constant each; never better than what is on record.

The first that applies is said (spec: graph-session §13.7).
"""

from typing import Final

from onefate.broker.session.draft import Draft
from onefate.broker.session.reads import texts
from onefate.broker.session.state import Outcome, Record, Row

_UNDONE: Final[dict[Outcome, str]] = {
    "rejected": texts.REJECTED,
    "rolled-back": texts.ROLLED_BACK,
    "superseded": texts.SUPERSEDED,
}


def verdict(draft: Draft, row: Row) -> str:
    """Say whether the fire happened, did not, or is not known to have."""
    record = row["record"]
    if record.get("materialized") is False:
        return texts.NOT_WIRED
    if record["outcome"] == "pending" or _is_open(draft, record):
        return texts.PENDING.format(id=record["id"])
    if row.get("refuted"):
        return texts.CHECK_FAILED
    return _UNDONE.get(record["outcome"]) or _by_effect(record)


def _is_open(draft: Draft, record: Record) -> bool:
    return any(latch["id"] == record["id"] for latch in draft.latches)


def _by_effect(record: Record) -> str:
    if record.get("effectVerified") is True:
        return texts.VERIFIED
    if record.get("effectVerified") is False:
        return texts.NOT_OBSERVED
    return texts.UNOBSERVABLE
