"""The brief: where the session stands, what happened since, what waits, what can be done.

Composed of constants, ids, counts and the map author's words; it reads a bounded tail of history
(spec: graph-session §13.6).
"""

import unicodedata
from typing import Final, NotRequired, TypedDict

from onefate.broker.session.draft import Draft
from onefate.broker.session.motion import looking_at
from onefate.broker.session.reads import texts
from onefate.broker.session.reads.history import latest_rows, together
from onefate.broker.session.reads.labels import (
    fired_label,
    listed,
    page_label,
    position_line,
    principal_word,
)
from onefate.broker.session.reads.page import served_ids
from onefate.broker.session.state import Frame, Row

MOST_ROWS: Final = 20
LONGEST_KEY: Final = 60
WAY_OUT: Final = frozenset({"cancel", "back"})
_UNDONE: Final = frozenset({"rejected", "rolled-back", "superseded"})


class Brief(TypedDict):
    """A grounding text, with what it was true of."""

    node: str
    version: int
    journey: NotRequired[str]
    text: str


def context_brief(
    draft: Draft, since: int | None = None, most: int = MOST_ROWS, *, principal: str | None = None
) -> Brief:
    """Tell what an agent needs to go on, in a bounded text that no app value enters.

    `principal` is who looks.
    """
    together(lambda: latest_rows(draft, most, since), lambda: _closed_frames(draft))
    lines = [
        position_line(draft, draft.position),
        *_journey_lines(draft, since),
        *_row_lines(draft, since, most),
        _pending_line(draft),
        _served_line(draft, principal),
        *_place_lines(draft),
    ]
    brief = Brief(
        node=draft.position["node"], version=draft.counters["version"], text="\n".join(lines)
    )
    if (frame := draft.frame.get("open")) is not None:
        brief["journey"] = frame["journeyId"]
    return brief


def _journey_lines(draft: Draft, since: int | None) -> list[str]:
    lines: list[str] = []
    if (frame := draft.frame.get("open")) is not None:
        journey = draft.map.journeys[frame["journeyId"]]
        done = sum(frame["fired"].get(step, 0) > 0 for step in journey.steps)
        lines.append(
            texts.JOURNEY_OPEN.format(
                journey=journey.id, does=journey.description, done=done, total=len(journey.steps)
            )
        )
    for closed in _closed_frames(draft):
        recent = since is None or closed.get("closedAtVersion", 0) >= since
        if closed["status"] == "demoted" and recent:
            lines.append(texts.JOURNEY_DEMOTED.format(journey=closed["journeyId"]))
    return lines


def _closed_frames(draft: Draft) -> list[Frame]:
    numbers = sorted(latest["number"] for latest in draft.frame["latest"].values())
    kept = draft.frames.many([str(number) for number in numbers])
    return [frame for frame in kept if frame is not None]


def _row_lines(draft: Draft, since: int | None, most: int) -> list[str]:
    rows = latest_rows(draft, most, since)
    version = draft.counters["version"]
    heading = texts.WHOLE_SESSION if since is None else texts.SINCE
    lines = [heading.format(since=since, version=version)]
    if not rows:
        return [*lines, texts.NO_ROWS]
    if len(rows) == most and rows[0]["n"] > 0:
        lines.append(texts.OLDER_ROWS.format(count=rows[0]["n"]))
    return [*lines, *(_bullet(draft, row) for row in rows)]


def _bullet(draft: Draft, row: Row) -> str:
    record = row["record"]
    cause = record["cause"]
    if cause["kind"] == "fired":
        return _fired(draft, row)
    said = {
        "principal": principal_word(cause["principal"]),
        "kind": cause.get("stimulus", "unknown"),
        "origin": page_label(draft, record["fromNode"]),
        "target": page_label(draft, record.get("toNode", record["fromNode"])),
        "keys": ", ".join(_key(key) for key in _changed(row)),
    }
    if record.get("unverifiedEdge"):
        return texts.ROW_SYNC.format_map(said)
    if cause.get("stimulus") == "structure-swap":
        return texts.ROW_STRUCTURE
    return (texts.ROW_STIMULUS if said["keys"] else texts.ROW_NO_CHANGE).format_map(said)


def _fired(draft: Draft, row: Row) -> str:
    record = row["record"]
    cause = record["cause"]
    line = texts.ROW_FIRED.format(
        action=fired_label(draft, cause), principal=principal_word(cause["principal"])
    )
    origin, target = record["fromNode"], record.get("toNode", record["fromNode"])
    if origin != target:
        line += texts.ROW_MOVE.format(
            origin=page_label(draft, origin), target=page_label(draft, target)
        )
    flags = _flags(draft, row)
    return line + texts.ROW_FLAGS.format(flags=", ".join(flags)) if flags else line


def _flags(draft: Draft, row: Row) -> list[str]:
    record = row["record"]
    action = draft.action(record["cause"].get("affordanceId", ""))
    flags = {
        texts.FLAG_INFERRED: record["cause"].get("inferred") is True,
        texts.FLAG_HIGH_EFFECT: action is not None and action.high_effect,
        texts.FLAG_NOT_WIRED: record.get("materialized") is False,
        texts.FLAG_CLAIMED: record.get("toNodeClaimed") is True,
        texts.FLAG_PENDING: record["outcome"] == "pending",
        record["outcome"]: record["outcome"] in _UNDONE,
        texts.FLAG_NOT_OBSERVED: record.get("effectVerified") is False,
    }
    return [flag for flag, applies in flags.items() if applies]


def _changed(row: Row) -> list[str]:
    return row["bundle"]["changed"] if "bundle" in row else []


def _key(key: str) -> str:
    return "".join(c for c in key if unicodedata.category(c) != "Cc")[:LONGEST_KEY]


def _pending_line(draft: Draft) -> str:
    if not draft.pending:
        return texts.PENDING_NONE
    waiting = listed(draft, [pending["affordanceId"] for pending in draft.pending])
    return texts.PENDING_NOW.format(actions=waiting)


def _served_line(draft: Draft, principal: str | None) -> str:
    served = served_ids(draft, principal)
    frame = draft.frame.get("open")
    if frame is not None:
        steps = draft.map.journeys[frame["journeyId"]].steps
        served = [action_id for action_id in served if _in_frame(draft, action_id, steps)]
    names = [_served_name(draft, action_id) for action_id in served]
    return texts.SERVED.format(actions=", ".join(names)) if names else texts.SERVED_NONE


def _in_frame(draft: Draft, action_id: str, steps: tuple[str, ...]) -> bool:
    action = draft.action(action_id)
    return action_id in steps or (action is not None and action.role in WAY_OUT)


def _served_name(draft: Draft, action_id: str) -> str:
    action = draft.action(action_id)
    if action is not None and action.high_effect:
        return texts.SERVED_HIGH_EFFECT.format(action=action_id)
    return action_id


def _place_lines(draft: Draft) -> list[str]:
    lines: list[str] = []
    if (focus := looking_at(draft)) is not None:
        lines.append(texts.LOOKING_AT.format(node=focus))
    page = draft.position["node"]
    mounted = sorted(
        path
        for path, count in draft.nodes["present"].items()
        if count > 0 and draft.map.nodes[path].page == page
    )
    if mounted:
        lines.append(texts.MOUNTED.format(nodes=", ".join(mounted)))
    return lines
