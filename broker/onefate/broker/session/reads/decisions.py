"""Which choices are left to a person, and whether they are made (spec: graph-session §8.3)."""

from typing import Literal

from onefate.broker.journey import Action, Filter
from onefate.broker.journey.conditions import evaluate
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.rows import DecisionRow


def decisions(draft: Draft) -> list[DecisionRow]:
    """Give one row for every action of the map that a person decides, in declaration order."""
    return [row for action in draft.actions() if (row := decision_of(draft, action)) is not None]


def decision_of(draft: Draft, action: Action) -> DecisionRow | None:
    """Give the row of one action; None where no person decides it.

    `made` is unknown where any key of `doneWhen` is, or nothing says when it is done.
    """
    decides = action.human_decides
    if decides is None:
        return None
    row = DecisionRow(affordanceId=action.id, made=_made(draft, decides.done_when))
    if decides.about is not None:
        row["about"] = decides.about
    if row["made"] is True and (maker := draft.decided.get(action.id)) is not None:
        row["madeBy"] = maker
    return row


def _made(draft: Draft, done_when: Filter | None) -> bool | Literal["unknown"]:
    judged = evaluate(done_when, draft.state)
    if done_when is None or judged.unevaluable:
        return "unknown"
    return judged.matched
