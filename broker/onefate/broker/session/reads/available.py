"""What can be done where the session stands, and which journeys could be opened from here.

A served row means: declared on this page, its guard not known to fail, its node not known to be
hidden. Switched off and unwired actions are served, marked (spec: graph-session §6).
"""

from onefate.broker.journey import Journey
from onefate.broker.journey.conditions import evaluate, matches
from onefate.broker.session import structure
from onefate.broker.session.draft import Draft
from onefate.broker.session.errors import UnknownAction
from onefate.broker.session.reads.edges import edge_of
from onefate.broker.session.reads.page import offered
from onefate.broker.session.reads.rows import Available, Explanation, JourneyRow, OfferRef
from onefate.broker.session.reads.tree import Served, Tree
from onefate.broker.session.state import Offer


def available(draft: Draft, principal: str = "agent") -> Available:
    """Serve every action that can be performed here now, in declaration order.

    Serving a row mints its offer, as `principal` sees it; no version moves. What is long mounted on
    another page is noted as drift.
    """
    structure.check_drift(draft)
    tree = Tree(draft)
    edges = [
        edge_of(draft, found, _reference(offer), gate)
        for found, offer in offered(draft, principal)
        if isinstance(gate := tree.gate(found.path), Served)
    ]
    return Available(version=draft.counters["version"], node=draft.position["node"], edges=edges)


def _reference(offer: Offer) -> OfferRef:
    return OfferRef(
        offerId=offer["offerId"],
        actionId=offer["actionId"],
        node=offer["node"],
        stateVersion=offer["stateVersion"],
        structureVersion=offer["structureVersion"],
    )


def explain(draft: Draft, action_id: str) -> Explanation:
    """Say why an action is offered on this page or not; tabs, modals and switches are not asked.

    Raises:
        UnknownAction: nobody declared it.
    """
    action = draft.action(action_id)
    if action is None:
        raise UnknownAction(action_id)
    page = draft.position["node"]
    judged = evaluate(action.guard, draft.state, draft.options.redacted_keys)
    explanation = Explanation(
        affordanceId=action_id,
        node=page,
        offeredOnThisNode=page in action.on,
        guardPassed=judged.matched,
        available=page in action.on and judged.matched,
        evidence=list(judged.conditions),
    )
    if judged.unevaluable:
        explanation["guardUnevaluated"] = list(judged.unevaluable)
    return explanation


def available_journeys(draft: Draft) -> list[JourneyRow]:
    """Give every declared journey, whether its condition holds and whether it starts here."""
    return [_journey_row(draft, journey) for journey in draft.map.journeys.values()]


def _journey_row(draft: Draft, journey: Journey) -> JourneyRow:
    judged = evaluate(journey.precondition, draft.state, draft.options.redacted_keys)
    row = JourneyRow(
        id=journey.id,
        description=journey.description,
        steps=list(journey.steps),
        preconditionPassed=judged.matched,
        evidence=list(judged.conditions),
        entryAvailable=_is_entry(draft, journey.steps[0]),
    )
    if judged.unevaluable:
        row["preconditionUnevaluable"] = list(judged.unevaluable)
    return row


def _is_entry(draft: Draft, step: str) -> bool:
    action = draft.action(step)
    return (
        action is not None
        and draft.position["node"] in action.on
        and matches(action.guard, draft.state)
    )
