"""What can be done where the session stands, and which journeys could be opened from here.

A served row means: declared on this page, its guard not known to fail, its node not known to be
hidden. Switched off and unwired actions are served, marked (spec: graph-session §6).
"""

from collections.abc import Iterator, Mapping
from functools import partial

from onefate.broker.journey import Journey
from onefate.broker.journey.conditions import evaluate, matches
from onefate.broker.session import structure
from onefate.broker.session.draft import Draft
from onefate.broker.session.errors import UnknownAction
from onefate.broker.session.reads.edges import edge_of
from onefate.broker.session.reads.history import together
from onefate.broker.session.reads.page import served_places
from onefate.broker.session.reads.rows import Available, Edge, Explanation, JourneyRow


class ServedRows(Mapping[str, Edge]):
    """The rows served here now, by action id in declaration order; each is composed when read.

    Looking moves no version. What is long mounted on another page is noted as drift, and rows that
    must be cited get their offers, as `principal` sees them.
    """

    def __init__(self, draft: Draft, principal: str | None = None) -> None:
        structure.check_drift(draft)
        self._draft = draft
        self._places = served_places(draft, principal)
        self._rows: dict[str, Edge] = {}

    def __getitem__(self, action_id: str) -> Edge:
        if action_id not in self._rows:
            self._rows[action_id] = edge_of(self._draft, self._places[action_id])
        return self._rows[action_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def available(draft: Draft, principal: str | None = None) -> Available:
    """Serve every action that can be performed here now: `ServedRows`, all composed."""
    rows = ServedRows(draft, principal)
    together(*(partial(rows.__getitem__, action_id) for action_id in rows))
    return Available(
        version=draft.counters["version"],
        node=draft.position["node"],
        edges=list(rows.values()),
    )


def explain(draft: Draft, action_id: str) -> Explanation:
    """Say why an action is offered on this page or not; tabs, modals and switches are not asked.

    Raises:
        UnknownAction: nobody declared it.
    """
    action = draft.action(action_id)
    if action is None:
        raise UnknownAction(action_id, draft.map.actions)
    page = draft.position["node"]
    judged = evaluate(action.guard, draft.state, draft.options.redacted_keys)
    explanation = Explanation(
        affordanceId=action_id,
        node=page,
        offeredOnThisNode=page in action.on,
        guardPassed=judged.matched,
        available=page in action.on and judged.matched,
        evidence=list(judged.conditions),
    )
    if judged.unevaluable:
        explanation["guardUnevaluated"] = list(judged.unevaluable)
    return explanation


def available_journeys(draft: Draft) -> list[JourneyRow]:
    """Give every declared journey, whether its condition holds and whether it starts here."""
    return [_journey_row(draft, journey) for journey in draft.map.journeys.values()]


def _journey_row(draft: Draft, journey: Journey) -> JourneyRow:
    judged = evaluate(journey.precondition, draft.state, draft.options.redacted_keys)
    row = JourneyRow(
        id=journey.id,
        description=journey.description,
        steps=list(journey.steps),
        preconditionPassed=judged.matched,
        evidence=list(judged.conditions),
        entryAvailable=_is_entry(draft, journey.steps[0]),
    )
    if judged.unevaluable:
        row["preconditionUnevaluable"] = list(judged.unevaluable)
    return row


def _is_entry(draft: Draft, step: str) -> bool:
    action = draft.action(step)
    return (
        action is not None
        and draft.position["node"] in action.on
        and matches(action.guard, draft.state)
    )
