"""The actions of the page the session stands on, where they stand in the tree, and their offers.

Spec: graph-session §6.1, §6.2, §10.1.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from onefate.broker.journey import Action
from onefate.broker.journey.conditions import evaluate, matches
from onefate.broker.journey.graph import Freshness
from onefate.broker.session import offers
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.tree import Served, Tree
from onefate.broker.session.state import Offer


@dataclass(frozen=True, slots=True)
class Place:
    """An action that is served here: its node, how that is shown, and its offer.

    Offers are minted only in a session where one can ever be judged: elsewhere there is none.
    """

    action: Action
    path: str
    gate: Served
    offer: Offer | None


def served_places(draft: Draft, principal: str | None = None) -> dict[str, Place]:
    """Give what is served here now, by action id in declaration order, as `principal` sees it.

    None is nobody in particular: what is served is the same, only whose offers it has differs.
    """
    judged = _judges_offers(draft)
    tree = Tree(draft)
    places: dict[str, Place] = {}
    for action, path in _candidates(draft):
        offer = _mint(draft, action, principal) if judged else None
        gate = tree.gate(path)
        if isinstance(gate, Served):
            places[action.id] = Place(action, path, gate, offer)
    return places


def served_ids(draft: Draft, principal: str | None = None) -> list[str]:
    """Give the ids of the actions that are served here now."""
    return list(served_places(draft, principal))


def _candidates(draft: Draft) -> Iterator[tuple[Action, str]]:
    state = draft.state
    for action in draft.actions():
        path = draft.placed(action.id)
        if path is not None and matches(action.guard, state):
            yield action, path


def _mint(draft: Draft, action: Action, principal: str | None) -> Offer:
    return offers.mint(draft, action, evaluate(action.guard, draft.state), principal)


def _judges_offers(draft: Draft) -> bool:
    declared = (action.freshness for action in draft.actions())
    return any(
        answer is not None and answer != "disclose"
        for policy in (draft.options.freshness, *declared)
        if policy is not None
        for answer in _answers(policy)
    )


def _answers(policy: Freshness) -> tuple[str | None, ...]:
    return (
        policy.guard_changes,
        policy.read_changes,
        policy.write_changes,
        policy.position_changes,
    )
