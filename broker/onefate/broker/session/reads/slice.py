"""Why a state key has its value: the backward causal slice over what was committed.

From the latest commit that changed the key, through the keys that its guard read, to the latest
earlier commits that changed those. A fire is tied to the past only by its guard (spec:
graph-session §5.2). It searches the latest `SEARCHED` rows, and says so where there are more.
"""

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from onefate.broker.session.draft import Draft
from onefate.broker.session.reads import texts
from onefate.broker.session.reads.history import latest_rows
from onefate.broker.session.reads.labels import short_label
from onefate.broker.session.state import Bundle, Row

DEEPEST: Final = 20
MOST: Final = 100
SEARCHED: Final = 1000
_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class Slice:
    """The slice as a text, and the transition ids it names, each once, in order."""

    text: str
    ids: tuple[str, ...] = ()


@dataclass(slots=True)
class _Commit:
    id: str
    stage: str
    bundle: Bundle
    depth: int = 0
    causes: list[tuple[str, "_Commit"]] = field(default_factory=list[tuple[str, "_Commit"]])


_Writers: TypeAlias = dict[str, list[_Commit]]
"""State key → the commits that changed it, in order."""


def why(draft: Draft, key: str) -> Slice:
    """Explain where the value of `key` came from; a key that nothing wrote is answered as well."""
    writers = _writers(_commits(draft))
    root = _latest(writers, key)
    partial = draft.counters["row"] > SEARCHED
    if root is None:
        return Slice(_unwritten(key, partial=partial, any_written=bool(writers)))
    cut = _trace(root, writers, partial=partial)
    named: dict[str, None] = {}
    lines = [texts.SLICE_HEADING.format(key=key), *_lines(root, None, 0, named)]
    if cut:
        lines.append(texts.SLICE_CUT)
    return Slice("\n".join(lines), tuple(named))


def _unwritten(key: str, *, partial: bool, any_written: bool) -> str:
    if partial:
        return texts.NOT_FOUND.format(key=key, count=SEARCHED)
    said = [texts.NEVER_WRITTEN.format(key=key)]
    return "\n".join(said if any_written else [*said, texts.NOTHING_COMMITTED])


def _commits(draft: Draft) -> list[_Commit]:
    found = [
        _Commit(row["record"]["id"], _stage(draft, row), row["bundle"])
        for row in latest_rows(draft, SEARCHED)
        if "bundle" in row
    ]
    return sorted(found, key=_place)


def _stage(draft: Draft, row: Row) -> str:
    cause = row["record"]["cause"]
    if cause["kind"] == "fired":
        return short_label(draft, cause.get("affordanceId", ""))
    return cause.get("stimulus", "unknown")


def _writers(commits: list[_Commit]) -> _Writers:
    writers: _Writers = {}
    for commit in commits:
        for key in commit.bundle["changed"]:
            writers.setdefault(key, []).append(commit)
    return writers


def _latest(writers: _Writers, key: str, before: int | None = None) -> _Commit | None:
    known = writers.get(key, [])
    at = len(known) if before is None else bisect_left(known, before, key=_place)
    return known[at - 1] if at else None


def _place(commit: _Commit) -> int:
    return commit.bundle["seq"]


def _trace(root: _Commit, writers: _Writers, *, partial: bool) -> bool:
    known = {root.id}
    frontier = deque([root])
    cut = False
    while frontier:
        child = frontier.popleft()
        for key in child.bundle["reads"]:
            cause = _latest(writers, key, _place(child))
            if cause is None:
                cut = cut or partial
                continue
            if cause.id not in known and (len(known) >= MOST or child.depth >= DEEPEST):
                cut = True
                continue
            child.causes.append((key, cause))
            if cause.id not in known:
                known.add(cause.id)
                cause.depth = child.depth + 1
                frontier.append(cause)
    return cut


def _lines(commit: _Commit, via: str | None, level: int, named: dict[str, None]) -> list[str]:
    again = commit.id in named
    named.setdefault(commit.id)
    form = texts.SLICE_ROOT if via is None else texts.SLICE_AGAIN if again else texts.SLICE_PARENT
    changed = ", ".join(commit.bundle["changed"])
    line = form.format(via=via, stage=commit.stage, id=commit.id, keys=changed)
    found = [_INDENT * level + line]
    for key, cause in () if again else commit.causes:
        found += _lines(cause, key, level + 1, named)
    return found
