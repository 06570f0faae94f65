"""One served row, composed: what is declared, what is wired, what the app says now.

A key that says nothing is left out; `enabled` is never true (spec: graph-session §6.1, §6.2).
"""

from typing import cast

from onefate.broker.journey import Action
from onefate.broker.journey.conditions import evaluate
from onefate.broker.journey.values import Absent, Json, detached
from onefate.broker.session import concurrency, freshness, state
from onefate.broker.session.draft import Draft
from onefate.broker.session.facts import handler_for
from onefate.broker.session.reads.controls import blocked_because, held_value
from onefate.broker.session.reads.page import Place
from onefate.broker.session.reads.rows import Edge, OfferRef
from onefate.broker.session.reads.tree import existence
from onefate.broker.session.state import Offer


def edge_of(draft: Draft, place: Place) -> Edge:
    """Compose the row of an action that is served."""
    action = place.action
    judged = evaluate(action.guard, draft.state, draft.options.redacted_keys)
    edge = Edge(
        affordanceId=action.id,
        description=action.description,
        role=action.role,
        highEffect=action.high_effect,
        evidence=list(judged.conditions),
        node=place.path,
        activation=place.gate.activation,
    )
    if place.offer is not None:
        _add_offer(draft, edge, action, place.offer)
    if judged.unevaluable:
        edge["guardUnevaluated"] = list(judged.unevaluable)
    if place.gate.doubtful:
        edge["presence"] = "unknown"
    _add_declared(edge, action)
    _add_policy(edge, action)
    _add_wiring(draft, edge, action)
    _add_repeats(draft, edge, action)
    _add_instances(draft, edge)
    return edge


def _add_offer(draft: Draft, edge: Edge, action: Action, offer: Offer) -> None:
    edge["offerRef"] = OfferRef(
        offerId=offer["offerId"],
        actionId=offer["actionId"],
        node=offer["node"],
        stateVersion=offer["stateVersion"],
        structureVersion=offer["structureVersion"],
    )
    if freshness.enforces(draft, action):
        edge["mustCiteOffer"] = True


def _add_declared(edge: Edge, action: Action) -> None:
    if action.expects is not None:
        edge["expects"] = state.detached(action.expects)
    if action.goes_to is not None:
        edge["navigatesTo"] = action.goes_to
    if action.reads is not None:
        edge["reads"] = list(action.reads)
    if action.writes is not None:
        edge["writes"] = list(action.writes)
    if action.binding is not None:
        edge["binding"] = cast("Json", detached(action.binding))
    if action.description_source == "registration":
        edge["descriptionSource"] = "registration"


def _add_policy(edge: Edge, action: Action) -> None:
    if action.human_decides is not None:
        edge["humanDecides"] = True
    policy = action.principal_policy
    if policy is not None and policy.may_invoke is not None:
        edge["mayInvoke"] = list(policy.may_invoke)
    if policy is not None and policy.decision_owner is not None:
        edge["decisionOwner"] = policy.decision_owner


def _add_wiring(draft: Draft, edge: Edge, action: Action) -> None:
    bindings, options = draft.registry["bindings"], draft.options
    if bindings or options.tour or options.navigate:
        edge["materialized"] = handler_for(draft, action) is not None
    bound = bindings.get(action.id)
    if bound is not None and "busy" in bound:
        edge["busy"] = bound["busy"]
    if (bound is not None and not bound["enabled"]) or _is_disabled(draft, action):
        edge["enabled"] = False
        if (reason := blocked_because(draft, action)) is not None:
            edge["blockedBecause"] = reason
    if (value := held_value(draft, action)) is not Absent.ABSENT:
        edge["holds"] = value


def _is_disabled(draft: Draft, action: Action) -> bool:
    return evaluate(action.enabled_when, draft.state).verdict == "failed"


def _add_repeats(draft: Draft, edge: Edge, action: Action) -> None:
    if action.concurrency.scope != "action":
        return
    if action.concurrency.mode == "single-flight" and concurrency.is_in_flight(draft, action):
        edge["heldByPriorFire"] = True
    if action.concurrency.mode == "once" and concurrency.is_performed(draft, action):
        edge["alreadyPerformed"] = True


def _add_instances(draft: Draft, edge: Edge) -> None:
    node = draft.map.nodes[edge["node"]]
    if not node.repeats:
        return
    found = existence(draft, node)
    edge["instances"] = found.shown
    edge["instancesTotal"] = found.total
    edge["enumeration"] = found.enumeration
