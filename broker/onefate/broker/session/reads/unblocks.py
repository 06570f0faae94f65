"""Which actions write what another one's failing conditions read (spec: graph-session §13.3)."""

from onefate.broker.journey import Action
from onefate.broker.journey.conditions import evaluate
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.rows import Unblocker


def what_unblocks(draft: Draft, action_id: str) -> list[Unblocker]:
    """Give the other actions, on any page, that write a key of a condition that is false now.

    Declaration order; empty for an action that nothing blocks and for one that is not declared.
    """
    asked = draft.action(action_id)
    failing = () if asked is None else _failing_keys(draft, asked)
    found: list[Unblocker] = []
    for other in draft.actions() if failing else ():
        keys = [key for key in other.writes or () if key in failing]
        if keys and other.id != action_id:
            found.append(Unblocker(affordanceId=other.id, viaKeys=keys))
    return found


def _failing_keys(draft: Draft, action: Action) -> frozenset[str]:
    return frozenset(
        condition["key"]
        for asked in (action.guard, action.enabled_when)
        for condition in evaluate(asked, draft.state).failing
    )
