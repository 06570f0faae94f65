"""What is wired: which registration performs an action, and whether anything ever could.

Registry keys are `<action>`, `<action>[<instance>]`, and `NAVIGATE` for an action whose own address
is opened by the session's `navigate` (spec: graph-session §7.4).
"""

from typing import Final

from onefate.broker.journey import Action
from onefate.broker.journey.names import instance_key
from onefate.broker.journey.routes import literal_address
from onefate.broker.session.draft import Draft

NAVIGATE: Final = "#navigate"


def handler_for(draft: Draft, action: Action, instance: str | None = None) -> str | None:
    """Give the key of what performs `action`: the instance's, the action's, `NAVIGATE`, or None."""
    bindings = draft.registry["bindings"]
    if instance is not None and (key := instance_key(action.id, instance)) in bindings:
        return key
    if action.id in bindings:
        return action.id
    if draft.options.navigate and literal_address(action, draft.map.routes) is not None:
        return NAVIGATE
    return None


def could_materialise(draft: Draft, action: Action) -> bool:
    """Say whether anything could perform `action`, for some instance at least."""
    prefix = f"{action.id}["
    return handler_for(draft, action) is not None or any(
        key.startswith(prefix) for key in draft.registry["bindings"]
    )
