"""Carried staleness: what somebody was told has changed, until they act on it or acknowledge it.

Kept per principal (departure 21); looking never clears (spec: graph-session §10.5).
"""

from collections.abc import Iterable

from onefate.broker.session.draft import Draft


def carried(draft: Draft, action_id: str, principal: str = "agent") -> list[str]:
    """Give the keys served to `principal` as stale and not yet answered, first served first."""
    return list(draft.carried.get(principal, {}).get(action_id, ()))


def carried_by_anybody(draft: Draft, action_id: str) -> list[str]:
    """Give the keys that anybody was told of and has not answered."""
    told = (actions.get(action_id, ()) for actions in draft.carried.values())
    return list(dict.fromkeys(key for keys in told for key in keys))


def carry(draft: Draft, action_id: str, keys: Iterable[str], principal: str = "agent") -> None:
    """Note that `principal` was told of these keys; telling twice is telling once."""
    known = carried(draft, action_id, principal)
    fresh = [key for key in dict.fromkeys(keys) if key not in known]
    if fresh:
        draft.edit(Draft.carried).setdefault(principal, {})[action_id] = [*known, *fresh]


def clear(
    draft: Draft, action_id: str, principal: str, keys: Iterable[str] | None = None
) -> list[str]:
    """Drop these keys, all if none are named, and give those that had been carried, as named."""
    known = carried(draft, action_id, principal)
    named = known if keys is None else dict.fromkeys(keys)
    cleared = [key for key in named if key in known]
    if not cleared:
        return []
    section = draft.edit(Draft.carried)
    left = [key for key in known if key not in cleared]
    if left:
        section[principal][action_id] = left
    else:
        del section[principal][action_id]
    return cleared
