"""Offers: every served row is one, and a fire can say which row it answers.

The same facts give the same offer, so looking twice in an unchanged world mints nothing
(spec: graph-session §10.1; departure 21: staleness is told apart by who looks).
"""

from onefate.broker.journey import Action
from onefate.broker.journey.canonical import canonical_digest
from onefate.broker.journey.conditions import Evaluation
from onefate.broker.session import ledgers, staleness
from onefate.broker.session.draft import Draft
from onefate.broker.session.state import Offer, Served


def mint(draft: Draft, action: Action, judged: Evaluation, principal: str | None = None) -> Offer:
    """Give the offer of a served row, minting it unless these facts have one that is kept.

    Where nobody in particular looks, what anybody was told counts as told.
    """
    offer = _facts(draft, action, judged, principal)
    digest = canonical_digest(_identity(offer))[:24]
    following, first = draft.counters["offer"], _first(draft)
    served = draft.served
    if served["at"] == [offer["stateVersion"], offer["structureVersion"]]:
        known = served["offers"].get(digest)
        if known is not None and known >= first:
            offer["offerId"] = f"offer#{known}"
            return offer
    _remember(draft, offer, digest, following)
    return offer


def _identity(offer: Offer) -> list[object]:
    return [
        offer["actionId"],
        offer["node"],
        offer["stateVersion"],
        offer["structureVersion"],
        offer["guardEvaluated"],
        offer["guardUnevaluated"],
        offer["staleReads"],
        offer["staleWrites"],
    ]


def _facts(draft: Draft, action: Action, judged: Evaluation, principal: str | None) -> Offer:
    carried = (
        staleness.carried_by_anybody(draft, action.id)
        if principal is None
        else staleness.carried(draft, action.id, principal)
    )
    counters = draft.counters
    return Offer(
        offerId=f"offer#{counters['offer']}",
        actionId=action.id,
        node=draft.position["node"],
        stateVersion=counters["stateVersion"],
        structureVersion=counters["structureVersion"],
        version=counters["version"],
        servedAt=draft.now,
        guardEvaluated=[key for key in action.guard_keys if key not in judged.unevaluable],
        guardUnevaluated=list(judged.unevaluable),
        staleReads=[key for key in action.reads or () if key in carried],
        staleWrites=[key for key in action.writes or () if key in carried],
    )


def _remember(draft: Draft, offer: Offer, digest: str, number: int) -> None:
    draft.edit(Draft.counters)["offer"] = number + 1
    draft.offers.put(str(number), offer)
    first = _first(draft)
    if first > 1:
        draft.offers.delete(str(first - 1))
    at = [offer["stateVersion"], offer["structureVersion"]]
    kept = draft.served["offers"] if draft.served["at"] == at else {}
    kept = {key: n for key, n in kept.items() if n >= first}
    draft.replace(Draft.served, Served(at=at, offers={**kept, digest: number}))


def _first(draft: Draft) -> int:
    return ledgers.first_kept(draft.counters["offer"], draft.options.max_offers)


def find(draft: Draft, offer_id: str) -> Offer | None:
    """Give an offer that is kept, None where it was dropped or never was."""
    if standing(draft, offer_id) != "retained":
        return None
    return draft.offers.get(str(ledgers.number_in("offer", offer_id)))


def standing(draft: Draft, offer_id: str) -> ledgers.Standing:
    """Say whether an offer is kept, was dropped, or never was."""
    return ledgers.standing("offer", offer_id, draft.counters["offer"], draft.options.max_offers)


def retention(draft: Draft) -> ledgers.Retention:
    """Give how many offers were minted, how many dropped, and which are kept."""
    return ledgers.retention("offer", draft.counters["offer"], draft.options.max_offers)


def retained(draft: Draft) -> list[Offer]:
    """Give every offer that is kept, oldest first."""
    keys = [str(n) for n in range(_first(draft), draft.counters["offer"])]
    return [offer for offer in draft.offers.many(keys) if offer is not None]
