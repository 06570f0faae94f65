"""The open journey as an agent sees it: what can be done next, what waits, for whom.

Every step is in exactly one place: awaiting a report, with a person, ready, or later. Nothing here
is enforcement; each step is judged when it is fired. Spec: port-settlement §4.3.
"""

from typing import Final

from onefate.broker.session import cards
from onefate.broker.session.draft import Draft
from onefate.broker.session.frames import journey_plan, journey_standing, leave_journey
from onefate.broker.session.reads.available import ServedRows
from onefate.broker.session.reads.decisions import decision_of
from onefate.broker.session.reads.rows import Edge
from onefate.broker.session.state import Wire
from onefate.port import texts
from onefate.port.rows import unblocked_by
from onefate.port.tools import Port

_DONE: Final = frozenset({"done", "inferred-done"})


def frame_block(draft: Draft, port: Port, journey: str) -> Wire:
    """Show the open frame of `journey`; a frame whose steps are all done is closed here."""
    plan = journey_plan(draft, journey)
    if all(step["status"] in _DONE for step in plan):
        leave_journey(draft, reason="completed")
        standing = journey_standing(draft, journey)["standing"]
        return {"frame": "completed", "judgment": "done", "standing": standing}
    return _Frame(draft, port).show(journey, plan)


class _Frame:
    """One look at a frame: the rows served now, and the buckets that fill."""

    def __init__(self, draft: Draft, port: Port) -> None:
        self._draft = draft
        self._served = ServedRows(draft, port.options.source)
        self._pending = list(dict.fromkeys(fire["affordanceId"] for fire in draft.pending))
        self._cards = {
            ask["affordanceId"]: ask["askId"]
            for ask in reversed(draft.asks["live"].values())
            if cards.is_open(ask)
        }
        self._awaiting: list[Wire] = []
        self._with: list[Wire] = []
        self._ready: list[Wire] = []
        self._later: list[Wire] = []

    def show(self, journey: str, plan: list[Wire]) -> Wire:
        for step in plan:
            self._place(step)
        ready = len(self._ready)
        words = {0: "navigate-or-wait", 1: "one-ready-step"}
        block: Wire = {
            "frame": "open",
            "standing": journey_standing(self._draft, journey)["standing"],
            "judgment": words.get(ready, "needs-choice"),
        }
        if self._pending:
            block["awaitingState"] = self._pending
        if self._awaiting:
            block["awaitingHuman"] = self._awaiting
        if self._with:
            block["withTheHuman"] = self._with
            block["withTheHumanMeans"] = texts.WITH_THE_HUMAN
        block["readySteps"] = self._ready
        block["laterSteps"] = self._later
        block["howToAct"] = texts.PICK_READY if ready else texts.NO_READY
        return block

    def _place(self, step: Wire) -> None:
        action = str(step["affordanceId"])
        edge = self._served.get(action)
        if action in self._pending:
            return
        if step["status"] != "ready" or edge is None or "enabled" in edge:
            self._later.append(self._later_row(action, step, edge))
        elif action in self._cards:
            self._awaiting.append({"askId": self._cards[action], "step": action})
        elif (decided := self._decided_row(action)) is not None:
            self._with.append(decided)
        else:
            self._ready.append(_ready_row(action, edge))

    def _decided_row(self, action: str) -> Wire | None:
        declared = self._draft.action(action)
        decision = None if declared is None else decision_of(self._draft, declared)
        if decision is None:
            return None
        row: Wire = {"step": action, "made": decision["made"]}
        if "about" in decision:
            row["about"] = decision["about"]
        return row

    def _later_row(self, action: str, step: Wire, edge: Edge | None) -> Wire:
        row: Wire = {"step": action, "status": step["status"]}
        if "humanDecides" in step:
            row["humanDecides"] = True
        if edge is None:
            return row
        if "enabled" in edge:
            row["enabled"] = False
            if "blockedBecause" in edge:
                row["blockedBecause"] = edge["blockedBecause"]
            if unblockers := unblocked_by(self._draft, action, self._served):
                row["unblockedBy"] = unblockers
        if "busy" in edge:
            row["busy"] = edge["busy"]
        return row


def _ready_row(action: str, edge: Edge) -> Wire:
    row: Wire = {"step": action, "does": edge["description"]}
    if "navigatesTo" in edge:
        row["goesTo"] = edge["navigatesTo"]
    if edge["highEffect"]:
        row["highEffect"] = True
    if "guardUnevaluated" in edge:
        row["guardUnevaluated"] = edge["guardUnevaluated"]
    if edge.get("materialized") is False:
        row["materialized"] = False
    if "busy" in edge:
        row["busy"] = edge["busy"]
    if "expects" in edge:
        row["expects"] = edge["expects"]
    return row
