"""Journey tools: open or switch the session's one frame, show it, take a step (spec: §4)."""

from onefate.broker.journey.names import matching_ids
from onefate.broker.session.draft import Draft
from onefate.broker.session.frames import open_journey
from onefate.broker.session.reads.available import ServedRows
from onefate.broker.session.state import Wire
from onefate.port import texts
from onefate.port.arguments import Arguments
from onefate.port.asking import paused
from onefate.port.failed import failed
from onefate.port.fire_block import fire_block
from onefate.port.frame_block import frame_block
from onefate.port.rows import elsewhere, journey_rows
from onefate.port.tools import Port
from onefate.port.wanted import Wanted


def named_journey(draft: Draft, port: Port, arguments: Arguments) -> Wire:
    """Answer the single journey tool, which names its journey by an argument."""
    asked = arguments.named("journey")
    if asked is None:
        return {**failed("JOURNEY_REQUIRED"), "why": texts.JOURNEY_REQUIRED, **_known(draft)}
    if asked not in draft.map.journeys:
        return {**failed("UNKNOWN_JOURNEY"), "journey": asked, **_known(draft)}
    return journey_call(draft, port, asked, arguments)


def journey_call(draft: Draft, port: Port, journey: str, arguments: Arguments) -> Wire:
    """Open the journey if it is not open, then show it or take a step of it."""
    refused = _opened(draft, port, journey)
    if refused is not None:
        return refused
    asked = arguments.text("step")
    if asked is None:
        return {"ok": True, "journey": journey, **frame_block(draft, port, journey)}
    steps = draft.map.journeys[journey].steps
    found = matching_ids(steps, asked)
    if len(found) != 1:
        return {**failed("UNKNOWN_STEP"), "journey": journey, "steps": list(steps)}
    return _step(
        draft, port, journey, Wanted.of(found[0], {"journey": journey, "step": found[0]}, arguments)
    )


def _step(draft: Draft, port: Port, journey: str, wanted: Wanted) -> Wire:
    edge = ServedRows(draft, port.options.source).get(wanted.action)
    stopped = paused(draft, port, wanted, edge)
    if stopped is not None:
        return stopped
    fired = fire_block(draft, port, wanted, edge)
    return {"journey": journey, **frame_block(draft, port, journey), **fired}


def _opened(draft: Draft, port: Port, journey: str) -> Wire | None:
    """Open the journey, or say why it stays closed; None once it is open (spec: §4.1)."""
    frame = draft.frame.get("open")
    if frame is not None and frame["journeyId"] == journey:
        return None
    answer = open_journey(draft, journey, source=port.options.source)
    if answer["ok"]:
        return None
    kept: Wire = {} if frame is None else {"keptFrame": frame["journeyId"]}
    if answer["reason"] == "PRECONDITION_FAILED":
        why = texts.BLOCKED_KEPT if kept else texts.BLOCKED
        blocked: Wire = {"ok": False, "judgment": "blocked", "journey": journey, "why": why}
        return {**blocked, "evidence": answer["evidence"], **kept}
    if kept:
        kept["why"] = texts.ENTRY_KEPT
    return {**failed(str(answer["reason"])), "journey": journey, **kept}


def _known(draft: Draft) -> Wire:
    listed = [row["journey"] for row in journey_rows(draft)]
    return {"journeys": listed, **elsewhere(draft, len(listed))}
