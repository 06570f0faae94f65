"""Which state keys others changed since a version (spec: graph-session §5.3).

A caller's own later write takes a key out again; somebody else's write after that puts it back.
"""

from collections.abc import Iterable

from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.history import rows_since
from onefate.broker.session.state import LastWrite


def changed_for(draft: Draft, since: int | None, principal: str | None = None) -> set[str]:
    """Give the keys changed since the version `since` by anybody but `principal`.

    The cost does not grow with history.
    """
    return {
        key for key, writers in draft.changes.items() if _stands(writers.items(), since, principal)
    }


def _stands(
    writers: Iterable[tuple[str, LastWrite]], since: int | None, principal: str | None
) -> bool:
    own = -1
    latest = LastWrite(row=-1, version=-1)
    for name, write in writers:
        if name == principal:
            own = write["row"]
        elif write["row"] > latest["row"]:
            latest = write
    return latest["row"] > own and (since is None or latest["version"] >= since)


def keys_changed_since(
    draft: Draft, since: int | None = None, principal: str | None = None
) -> list[str]:
    """Give the keys of `changed_for` in the order in which they came to stand; reads history."""
    changed: dict[str, None] = {}
    for row in rows_since(draft, since):
        own = principal is not None and row["record"]["cause"]["principal"] == principal
        for key in row["bundle"]["changed"] if "bundle" in row else ():
            if own:
                changed.pop(key, None)
            else:
                changed.setdefault(key)
    return list(changed)
