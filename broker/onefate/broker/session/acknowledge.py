"""Acknowledgements: somebody's recorded word that they have seen what changed.

Bounded, the oldest dropped first (spec: graph-session §10.4).
"""

from collections.abc import Sequence

from onefate.broker.session import ledgers, staleness
from onefate.broker.session.draft import Draft
from onefate.broker.session.state import Acknowledgement, Wire


def acknowledge_stale(
    draft: Draft,
    action_id: str,
    keys: Sequence[str] = (),
    *,
    offer_id: str | None = None,
    by: str = "agent",
) -> Wire:
    """Append an acknowledgement by `by`, and give `{cleared, acknowledgementId}`.

    What had been carried for `by` is cleared: the named keys, or all where none are named.
    """
    number = draft.counters["ack"]
    draft.edit(Draft.counters)["ack"] = number + 1
    row = Acknowledgement(
        acknowledgementId=f"ack#{number}",
        actionId=action_id,
        principal=by,
        keys=list(keys),
        acknowledgedAtStateVersion=draft.counters["stateVersion"],
        timestamp=draft.now,
    )
    if offer_id is not None:
        row["offerId"] = offer_id
    draft.acknowledgements.put(str(number), row)
    dropped = ledgers.first_kept(number + 1, draft.options.max_acknowledgements) - 1
    if dropped:
        draft.acknowledgements.delete(str(dropped))
        draft.warn("the ledger of acknowledgements is full; the oldest is dropped")
    cleared = staleness.clear(draft, action_id, by, keys or None)
    return {"cleared": cleared, "acknowledgementId": row["acknowledgementId"]}


def find(draft: Draft, acknowledgement_id: str) -> Acknowledgement | None:
    """Give an acknowledgement that is kept, None where it was dropped or never was."""
    if standing(draft, acknowledgement_id) != "retained":
        return None
    return draft.acknowledgements.get(str(ledgers.number_in("ack", acknowledgement_id)))


def standing(draft: Draft, acknowledgement_id: str) -> ledgers.Standing:
    """Say whether an acknowledgement is kept, was dropped, or never was."""
    most = draft.options.max_acknowledgements
    return ledgers.standing("ack", acknowledgement_id, draft.counters["ack"], most)


def retention(draft: Draft) -> ledgers.Retention:
    """Give how many were written, how many dropped, and which are kept."""
    most = draft.options.max_acknowledgements
    return ledgers.retention("ack", draft.counters["ack"], most)


def acknowledgements(draft: Draft) -> list[Acknowledgement]:
    """Give every acknowledgement that is kept, oldest first."""
    following = draft.counters["ack"]
    first = ledgers.first_kept(following, draft.options.max_acknowledgements)
    rows = draft.acknowledgements.many([str(n) for n in range(first, following)])
    return [row for row in rows if row is not None]
