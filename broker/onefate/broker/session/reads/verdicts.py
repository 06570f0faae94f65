"""How a fire came out, in one constant each; never better than what is on record.

The first that applies is said (spec: graph-session §13.7).
"""

from onefate.broker.session.draft import Draft
from onefate.broker.session.reads import texts
from onefate.broker.session.state import Record, Row


def verdict(draft: Draft, row: Row) -> str:
    """Say whether the fire happened, did not, or is not known to have."""
    record = row["record"]
    if record.get("materialized") is False:
        return texts.NOT_WIRED
    if record["outcome"] == "pending" or _is_open(draft, record):
        return texts.PENDING.format(id=record["id"])
    if row.get("refuted"):
        return texts.CHECK_FAILED
    return _by_outcome(record)


def _is_open(draft: Draft, record: Record) -> bool:
    return any(latch["id"] == record["id"] for latch in draft.latches)


def _by_outcome(record: Record) -> str:
    match record["outcome"]:
        case "rejected":
            return texts.REJECTED
        case "rolled-back":
            return texts.ROLLED_BACK
        case "superseded":
            return texts.SUPERSEDED
        case "committed" | "pending":
            return _by_effect(record)


def _by_effect(record: Record) -> str:
    if record.get("effectVerified") is True:
        return texts.VERIFIED
    if record.get("effectVerified") is False:
        return texts.NOT_OBSERVED
    return texts.UNOBSERVABLE
