"""The actions of the page the session stands on whose guards are not known to fail.

Spec: graph-session §6.1. What the tree hides is still among them: see `tree`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from onefate.broker.journey import Action
from onefate.broker.journey.conditions import Evaluation, evaluate
from onefate.broker.session import offers
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.tree import Served, Tree
from onefate.broker.session.state import Offer


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action of this page: what its guard says now, and the node it is on."""

    action: Action
    judged: Evaluation
    path: str


def candidates(draft: Draft) -> Iterator[Candidate]:
    """Give the actions of this page in declaration order."""
    for action in draft.actions():
        path = draft.placed(action.id)
        if path is None:
            continue
        judged = evaluate(action.guard, draft.state, draft.options.redacted_keys)
        if judged.matched:
            yield Candidate(action, judged, path)


def offered(draft: Draft, principal: str = "agent") -> list[tuple[Candidate, Offer]]:
    """Give the actions of this page with the offer that each is, as `principal` sees it."""
    return [
        (found, offers.mint(draft, found.action, found.judged, principal))
        for found in candidates(draft)
    ]


def served_ids(draft: Draft, principal: str = "agent") -> list[str]:
    """Give the ids of the actions that are served here now, each under its offer."""
    tree = Tree(draft)
    return [
        found.action.id
        for found, _ in offered(draft, principal)
        if isinstance(tree.gate(found.path), Served)
    ]
