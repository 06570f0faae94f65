"""The facts: what was attempted and how it came out, what waits for a person, what is still open.

The text outranks the conversation, so it says only what is on record: constants, ids, counts and
the map author's words. It reads a bounded tail of history (spec: graph-session §13.7).
"""

from itertools import islice
from typing import Final, NamedTuple, TypedDict, cast

from onefate.broker.journey.conditions import matches
from onefate.broker.session.draft import Draft
from onefate.broker.session.motion import looking_at
from onefate.broker.session.reads import texts
from onefate.broker.session.reads.cards import card_lines, closed_cards
from onefate.broker.session.reads.decisions import decision_of
from onefate.broker.session.reads.history import rows_at, together
from onefate.broker.session.reads.labels import (
    action_label,
    fired_label,
    listed,
    position_line,
    principal_word,
)
from onefate.broker.session.reads.verdicts import verdict
from onefate.broker.session.state import Gap, Row

MOST_ATTEMPTS: Final = 20


class Facts(TypedDict):
    """The facts as a text, with what they were true of."""

    node: str
    version: int
    text: str


class _Attempt(NamedTuple):
    """Sorts by the version it met; what was refused at a version comes before its fire."""

    version: int
    fired: bool
    number: int
    row: Row | Gap


def ground_truth(draft: Draft, since: int | None = None, most: int = MOST_ATTEMPTS) -> Facts:
    """Tell what happened and what did not, in a bounded text that no app value enters."""
    together(
        lambda: draft.rows.want(map(str, draft.recent["fires"][-most:])),
        lambda: _gaps(draft, draft.recent["refusals"][-most:]),
        lambda: closed_cards(draft),
    )
    lines = [
        texts.FACTS_HEADER,
        position_line(draft, draft.position),
        *_focus_line(draft),
        *_attempt_lines(draft, since, most),
        *card_lines(draft, most),
        *_decision_lines(draft, most),
        *_open_lines(draft, most),
    ]
    return Facts(
        node=draft.position["node"], version=draft.counters["version"], text="\n".join(lines)
    )


def _focus_line(draft: Draft) -> list[str]:
    focus = looking_at(draft)
    return [] if focus is None else [texts.LOOKING_AT.format(node=focus)]


def _attempt_lines(draft: Draft, since: int | None, most: int) -> list[str]:
    total = draft.recent["fireTotal"] + draft.recent["refusalTotal"]
    if total == 0:
        return [texts.NOTHING_PERFORMED]
    shown = [a for a in _attempts(draft, most) if since is None or a.version >= since][-most:]
    if not shown:
        return [texts.NOTHING_SINCE.format(since=since, count=total)]
    heading = texts.ATTEMPTS if since is None else texts.ATTEMPTS_SINCE
    lines = [heading.format(since=since)]
    if len(shown) < total:
        lines.append(texts.OLDER_ATTEMPTS.format(count=total - len(shown)))
    return [*lines, *(_line(draft, attempt.row) for attempt in shown)]


def _attempts(draft: Draft, most: int) -> list[_Attempt]:
    refusals = draft.recent["refusals"][-most:]
    fired = [
        _Attempt(row["record"]["cursorVersion"], True, row["n"], row)  # noqa: FBT003
        for row in rows_at(draft, draft.recent["fires"][-most:])
    ]
    refused = [
        _Attempt(int(str(gap["version"])), False, index, gap)  # noqa: FBT003
        for index, gap in zip(refusals, _gaps(draft, refusals), strict=True)
    ]
    return sorted([*refused, *fired])


def _gaps(draft: Draft, indexes: list[int]) -> list[Gap]:
    if not indexes:
        return []
    first = indexes[0]
    stretch = draft.gaps.slice(first, indexes[-1] + 1)
    return [stretch[index - first] for index in indexes]


def _line(draft: Draft, row: Row | Gap) -> str:
    if "record" in row:
        return _fired(draft, cast("Row", row))
    return _refused(draft, row)


def _fired(draft: Draft, row: Row) -> str:
    cause = row["record"]["cause"]
    line = texts.FIRED.format(
        action=fired_label(draft, cause),
        principal=principal_word(cause["principal"]),
        verdict=verdict(draft, row),
    )
    return line + texts.INFERRED if cause.get("inferred") else line


def _refused(draft: Draft, gap: Gap) -> str:
    if gap["kind"] == "reported":
        return texts.STALE_ACTIONS
    said = {
        "principal": principal_word(gap.get("principal")),
        "reason": gap.get("rejectionReason"),
        "journey": gap.get("journeyId"),
    }
    if said["journey"] is not None:
        return texts.JOURNEY_REFUSED.format_map(said)
    does = gap.get("does")
    label = action_label(
        draft, str(gap.get("affordanceId")), does if isinstance(does, str) else None
    )
    return texts.REFUSED.format(action=label, **said)


def _decision_lines(draft: Draft, most: int) -> list[str]:
    page = draft.position["node"]
    offered = (a for a in draft.actions() if page in a.on and matches(a.guard, draft.state))
    rows = (decision_of(draft, action) for action in offered)
    names = [row["affordanceId"] for row in rows if row is not None and row["made"] is not True]
    lines = [texts.DECISION_OPEN.format(action=name) for name in names]
    return _capped(lines, most, texts.DECISIONS_MORE)


def _open_lines(draft: Draft, most: int) -> list[str]:
    lines: list[str] = []
    if draft.pending:
        waiting = listed(draft, [pending["affordanceId"] for pending in draft.pending])
        lines.append(texts.AWAITING_REPORT.format(actions=waiting))
    bound = dict.fromkeys(
        work["affordanceId"] for work in draft.work.values() if "affordanceId" in work
    )
    if bound:
        lines.append(texts.WORKING.format(actions=listed(draft, list(islice(bound, most)))))
    if len(bound) > most:
        lines.append(texts.WORKING_MORE.format(count=len(bound) - most))
    if any("affordanceId" not in work for work in draft.work.values()):
        lines.append(texts.UNBOUND_WORK)
    return lines


def _capped(lines: list[str], most: int, rest: str) -> list[str]:
    left_out = len(lines) - most
    return [*lines[:most], rest.format(count=left_out)] if left_out > 0 else lines
