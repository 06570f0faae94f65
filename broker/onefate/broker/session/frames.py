"""Journeys under way: the session's one open frame, its plan, and how a journey stands.

A frame counts the fires of each step that stand; a fire that comes to nothing takes its count back,
also after the frame has closed (spec: graph-session §13.2; departure 18).
"""

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from onefate.broker.journey import Action, Journey
from onefate.broker.journey.conditions import Evaluation, evaluate
from onefate.broker.session import cards, gaps, rows
from onefate.broker.session.draft import Draft
from onefate.broker.session.errors import UnknownJourney
from onefate.broker.session.facts import could_materialise
from onefate.broker.session.reads.decisions import decision_of
from onefate.broker.session.reads.tree import Hidden, node_gate
from onefate.broker.session.state import Frame, LatestFrame, Row, Wire, detached

FrameStatus: TypeAlias = Literal["completed", "cancelled", "demoted"]
DONE: Final = frozenset({"done", "inferred-done"})


def _journey(draft: Draft, journey_id: str) -> Journey:
    found = draft.map.journeys.get(journey_id)
    if found is None:
        raise UnknownJourney(journey_id, draft.map.journeys)
    return found


def _precondition(draft: Draft, journey: Journey) -> Evaluation:
    return evaluate(journey.precondition, draft.state, draft.options.redacted_keys)


def commit_journey(
    draft: Draft, journey_id: str, *, source: str = "agent", expected_version: int | None = None
) -> Wire:
    """Open a frame, or say why it stays closed; the checks come in a fixed order."""
    if journey_id not in draft.map.journeys:
        return {"ok": False, "reason": "UNKNOWN_JOURNEY", "known": list(draft.map.journeys)}
    version = draft.counters["version"]
    if expected_version not in (None, version):
        return {"ok": False, "reason": "STALE_CURSOR", "version": version}
    frame = draft.frame.get("open")
    if frame is not None:
        return {"ok": False, "reason": "FRAME_ALREADY_OPEN", "journeyId": frame["journeyId"]}
    return _cannot_open(draft, journey_id, source) or _open(draft, journey_id, source)


def open_journey(draft: Draft, journey_id: str, *, source: str = "agent") -> Wire:
    """Open a frame in place of the open one; if it cannot open, that one stays (departure 18)."""
    if journey_id not in draft.map.journeys:
        return {"ok": False, "reason": "UNKNOWN_JOURNEY", "known": list(draft.map.journeys)}
    refused = _cannot_open(draft, journey_id, source)
    if refused is not None:
        return refused
    leave_journey(draft)
    return _open(draft, journey_id, source)


def _cannot_open(draft: Draft, journey_id: str, source: str) -> Wire | None:
    journey = _journey(draft, journey_id)
    judged = _precondition(draft, journey)
    if not judged.matched:
        evidence = list(judged.conditions)
        return {"ok": False, "reason": "PRECONDITION_FAILED", "evidence": evidence}
    entry = draft.map.actions[journey.steps[0]]
    if source != "agent" or draft.options.tour or could_materialise(draft, entry):
        return None
    gesture = gaps.gesture_kind(entry)
    gaps.note(
        draft,
        "fire-rejected",
        affordanceId=entry.id,
        does=entry.description,
        rejectionReason="ENTRY_NOT_MATERIALIZED",
        principal=source,
        gestureKind=gesture,
        journeyId=journey_id,
    )
    refused: Wire = {"ok": False, "reason": "ENTRY_NOT_MATERIALIZED", "affordanceId": entry.id}
    if entry.binding is not None:
        refused["gesture"] = dict(entry.binding)
    return refused


def _open(draft: Draft, journey_id: str, source: str) -> Wire:
    counters = draft.edit(Draft.counters)
    frame = Frame(
        number=counters["frame"],
        journeyId=journey_id,
        status="open",
        principal=source,
        openedAt=draft.now,
        openedAtVersion=counters["version"],
        fired={},
        inferred={},
    )
    counters["frame"] += 1
    draft.edit(Draft.frame)["open"] = frame
    _structural_step(draft)
    answer: Wire = {"ok": True, "frame": frame_row(frame), "plan": journey_plan(draft, journey_id)}
    judged = _precondition(draft, _journey(draft, journey_id))
    if judged.unevaluable:
        answer["preconditionUnevaluable"] = list(judged.unevaluable)
    return {**answer, "version": draft.counters["version"]}


def _structural_step(draft: Draft) -> None:
    counters = draft.edit(Draft.counters)
    counters["version"] += 1
    counters["structureVersion"] += 1


def frame_row(frame: Frame) -> Wire:
    """Give a frame as it is read: the steps that stand, in the order in which they came to."""
    row: Wire = {
        "journeyId": frame["journeyId"],
        "status": frame["status"],
        "principal": frame["principal"],
        "openedAt": frame["openedAt"],
        "openedAtVersion": frame["openedAtVersion"],
        "firedSteps": list(frame["fired"]),
        "inferredSteps": list(frame["inferred"]),
    }
    if "closedAtVersion" in frame:
        row["closedAtVersion"] = frame["closedAtVersion"]
    return row


def journey_frame(draft: Draft) -> Wire | None:
    """Give the open frame, None where none is."""
    frame = draft.frame.get("open")
    return None if frame is None else frame_row(frame)


def closed_frames(draft: Draft) -> list[Wire]:
    """Give every closed frame, oldest first; reads history."""
    numbers = [str(n) for n in range(draft.counters["frame"])]
    open_frame = draft.frame.get("open")
    if open_frame is not None:
        numbers.remove(str(open_frame["number"]))
    found = (frame for frame in draft.frames.many(numbers) if frame is not None)
    return [frame_row(frame) for frame in sorted(found, key=_closing)]


def _closing(frame: Frame) -> int:
    return frame.get("closedAtVersion", 0)


def leave_journey(draft: Draft, *, reason: FrameStatus | None = None) -> Wire | None:
    """Close the open frame and give it, None where none is open; without a reason it is judged."""
    frame = draft.frame.get("open")
    if frame is None:
        return None
    steps = _journey(draft, frame["journeyId"]).steps
    finished = all(_is_done(frame, step) for step in steps)
    return _close(draft, frame, reason or ("completed" if finished else "cancelled"))


def _is_done(frame: Frame, step: str) -> bool:
    return step in frame["fired"] or step in frame["inferred"]


def _close(draft: Draft, frame: Frame, status: FrameStatus) -> Wire:
    closed = detached(frame)
    closed["status"] = status
    closed["closedAtVersion"] = draft.counters["version"]
    section = draft.edit(Draft.frame)
    section.pop("open", None)
    section["latest"][frame["journeyId"]] = LatestFrame(
        number=frame["number"],
        completed=status == "completed",
        done=sum(_is_done(frame, step) for step in _journey(draft, frame["journeyId"]).steps),
    )
    draft.frames.put(str(frame["number"]), closed)
    _structural_step(draft)
    return frame_row(closed)


def check_demotion(draft: Draft) -> None:
    """Close the open frame if its journey's precondition is now known to fail."""
    frame = draft.frame.get("open")
    if frame is None:
        return
    if not _precondition(draft, _journey(draft, frame["journeyId"])).matched:
        _close(draft, frame, "demoted")


def note_step(draft: Draft, row: Row, *, inferred: bool = False) -> None:
    """Count a committed fire as a step of the open frame, if it is one."""
    frame = draft.frame.get("open")
    action_id = rows.action_of(row)
    if frame is None or action_id not in _journey(draft, frame["journeyId"]).steps:
        return
    counts = draft.edit(Draft.frame).get("open", frame)["inferred" if inferred else "fired"]
    counts[action_id] = counts.get(action_id, 0) + 1
    row["frame"] = frame["number"]


def forget_step(draft: Draft, row: Row) -> None:
    """Take a fire's count back from the frame that counts it, open or closed."""
    number = row.get("frame")
    if number is None:
        return
    del row["frame"]
    section = draft.edit(Draft.frame)
    frame = section.get("open")
    if frame is None or frame["number"] != number:
        frame = draft.frames.edit(str(number))
    if frame is None:
        return
    action_id = rows.action_of(row)
    counts = frame["inferred" if row["record"]["cause"].get("inferred") else "fired"]
    counts[action_id] = counts.get(action_id, 1) - 1
    if counts[action_id]:
        return
    del counts[action_id]
    latest = section["latest"].get(frame["journeyId"])
    if latest is not None and latest["number"] == number:
        latest["completed"] = False


def journey_plan(draft: Draft, journey_id: str) -> list[Wire]:
    """Give every step of a journey with where it stands now.

    Raises:
        UnknownJourney: the map has no such journey.
    """
    steps = _journey(draft, journey_id).steps
    frame = draft.frame.get("open")
    mine = frame if frame is not None and frame["journeyId"] == journey_id else None
    return [_plan_row(draft, step, steps, mine) for step in steps]


def _plan_row(draft: Draft, step: str, steps: Iterable[str], frame: Frame | None) -> Wire:
    action = draft.map.actions[step]
    judged = evaluate(action.guard, draft.state, draft.options.redacted_keys)
    row: Wire = {
        "affordanceId": step,
        "description": action.description,
        "status": _status(draft, action, judged, frame),
        "dependsOn": _dependencies(draft, action, steps),
        "onNodes": list(action.on),
    }
    if row["status"] == "blocked":
        row["blockedOn"] = list(judged.failing)
    if judged.unevaluable:
        row["guardUnevaluated"] = list(judged.unevaluable)
    if action.human_decides is not None:
        row["humanDecides"] = True
    return row


def _status(draft: Draft, action: Action, judged: Evaluation, frame: Frame | None) -> str:
    if frame is not None and action.id in frame["fired"]:
        return "done"
    if frame is not None and action.id in frame["inferred"]:
        return "inferred-done"
    if not judged.matched:
        return "blocked"
    path = draft.placed(action.id)
    return "off-node" if path is None or isinstance(node_gate(draft, path), Hidden) else "ready"


def _dependencies(draft: Draft, action: Action, steps: Iterable[str]) -> list[Wire]:
    found: list[Wire] = []
    for other in dict.fromkeys(steps):
        writes = () if other == action.id else draft.map.actions[other].writes or ()
        via = [key for key in action.guard_keys if key in writes]
        if via:
            found.append({"affordanceId": other, "viaKeys": via})
    return found


def journey_standing(draft: Draft, journey_id: str) -> Wire:
    """Give one word for how a journey stands, with the evidence.

    Raises:
        UnknownJourney: the map has no such journey.
    """
    steps = _journey(draft, journey_id).steps
    frame = draft.frame.get("open")
    is_open = frame is not None and frame["journeyId"] == journey_id
    latest = draft.frame["latest"].get(journey_id)
    if not is_open and latest is not None and latest["completed"]:
        counts: Wire = {"stepsDone": latest["done"], "stepsTotal": len(steps)}
        return _standing(journey_id, "done", counts)
    plan = journey_plan(draft, journey_id)
    done = sum(row["status"] in DONE for row in plan)
    evidence: Wire = {"stepsDone": done, "stepsTotal": len(steps)}
    governing = next((row for row in plan if row["status"] not in DONE), None)
    if governing is None:
        return _standing(journey_id, "done", evidence)
    evidence["step"] = governing["affordanceId"]
    word, why = _governed(draft, governing)
    return _standing(journey_id, word, {**evidence, **why})


def _standing(journey_id: str, word: str, evidence: Wire) -> Wire:
    return {"journeyId": journey_id, "standing": word, "evidence": evidence}


def _governed(draft: Draft, step: Wire) -> tuple[str, Wire]:
    action_id = str(step["affordanceId"])
    card = cards.newest(draft, action_id)
    if card is not None and cards.is_open(card):
        return "awaiting-human", {"askId": card["askId"]}
    if card is not None and card.get("answer") == "declined":
        return "declined", {"askId": card["askId"]}
    decision = decision_of(draft, draft.map.actions[action_id])
    if decision is not None and step["status"] == "ready":
        told = {key: value for key, value in decision.items() if key != "affordanceId"}
        return "with-the-human", told
    fate = draft.fates.get(action_id)
    if fate is not None and fate["failed"]:
        return "failed", {"transitionId": fate["id"]}
    if "blockedOn" in step:
        return "blocked", {key: step[key] for key in _BLOCKED if key in step}
    return "in-progress", {}


_BLOCKED: Final = ("blockedOn", "guardUnevaluated")
