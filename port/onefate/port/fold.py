"""Folding: an answer that was given at return time, told again once its fire has come to rest.

A transport that waits a moment may answer with the settled facts at once. Then no key still
describes return time: what pointed at a later answer goes, position, version and the journey's
lists are read anew (departure 8; spec: port-settlement §17).
"""

from typing import Final

from onefate.broker.errors import ImpossibleId
from onefate.broker.session.draft import Draft
from onefate.broker.session.frames import journey_standing
from onefate.broker.session.state import Wire, detached
from onefate.port.facts import SettledFacts, settled_facts
from onefate.port.frame_block import frame_block
from onefate.port.position import position
from onefate.port.tools import Port

_FRAME: Final = frozenset(
    {
        "frame", "standing", "judgment", "awaitingState", "awaitingHuman", "withTheHuman",
        "withTheHumanMeans", "readySteps", "laterSteps", "howToAct",
    }
)  # fmt: skip
_RETURN_TIME: Final = _FRAME | {
    "settlement", "howToSettle", "settleWith", "toNodeClaimed", "alreadyTrue", "why", "youAreOn",
    "lookingAt", "version",
}  # fmt: skip


def folded(draft: Draft, port: Port, answer: Wire) -> Wire:
    """Give the answer of a call with what is known of its fire now.

    An answer without a fire, or whose fire is open, is not kept any more, or cannot be told from a
    card, is given back as it is.
    """
    facts = _known(draft, answer.get("transitionId"))
    if facts is None:
        return answer
    kept: Wire = {key: value for key, value in answer.items() if key not in _RETURN_TIME}
    frame = _frame(draft, port, answer)
    return detached({**kept, **frame, **facts, **position(draft)})


def _known(draft: Draft, transition_id: object) -> SettledFacts | None:
    if not isinstance(transition_id, str):
        return None
    try:
        return settled_facts(draft, transition_id)
    except ImpossibleId:
        return None


def _frame(draft: Draft, port: Port, answer: Wire) -> Wire:
    """Read the journey of the answer anew: its open frame, else how it stands."""
    journey = answer.get("journey")
    if not isinstance(journey, str):
        return {}
    frame = draft.frame.get("open")
    if frame is not None and frame["journeyId"] == journey:
        return frame_block(draft, port, journey)
    standing = journey_standing(draft, journey)["standing"]
    if answer.get("frame") == "completed" and standing == "done":
        return {"frame": "completed", "judgment": "done", "standing": standing}
    return {"standing": standing}
