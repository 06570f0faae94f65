"""What a card shows a person: what will be done, why it may be, with what, and what came before.

Spec: graph-session §12.1, port-settlement §13.2.
"""

from typing import Final, NotRequired, TypedDict, cast

from onefate.broker.journey import Action
from onefate.broker.journey.conditions import FilterCondition, evaluate
from onefate.broker.journey.values import ABSENT, Json, bounded, redacted
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.history import latest_rows
from onefate.broker.session.state import Row

RECENT_STEPS: Final = 5


class WillDo(TypedDict):
    """What the fire would do, as its author declared it."""

    does: str
    writes: NotRequired[list[str]]
    reads: NotRequired[list[str]]
    navigatesTo: NotRequired[str]
    effectUnverifiable: NotRequired[bool]


class WillUse(TypedDict):
    """What the fire would be given."""

    input: NotRequired[Json]
    instance: NotRequired[str]


class Step(TypedDict):
    """One of the latest things that happened."""

    what: str
    principal: str
    outcome: str


class CardReceipts(TypedDict):
    """Everything a person is shown before they answer."""

    willDo: WillDo
    because: list[FilterCondition]
    becauseUnevaluated: NotRequired[list[str]]
    willUse: NotRequired[WillUse]
    youAreOn: str
    version: int
    recentSteps: list[Step]


def card_receipts(
    draft: Draft, action_id: str, given: object = ABSENT, instance: str | None = None
) -> CardReceipts:
    """Gather what a card about this action shows; never raises, whoever declared the action.

    The input is shown bounded and redacted; what binds the answer is kept elsewhere.
    """
    action = draft.action(action_id)
    guard = None if action is None else action.guard
    judged = evaluate(guard, draft.state, draft.options.redacted_keys)
    receipts = CardReceipts(
        willDo=WillDo(does=action_id) if action is None else _will_do(draft, action),
        because=list(judged.conditions),
        youAreOn=draft.position["node"],
        version=draft.counters["version"],
        recentSteps=[_step(row) for row in latest_rows(draft, RECENT_STEPS)],
    )
    if judged.unevaluable:
        receipts["becauseUnevaluated"] = list(judged.unevaluable)
    if used := _will_use(draft, given, instance):
        receipts["willUse"] = used
    return receipts


def _will_do(draft: Draft, action: Action) -> WillDo:
    done = WillDo(does=action.description)
    if action.writes is not None:
        done["writes"] = list(action.writes)
    if action.reads is not None:
        done["reads"] = list(action.reads)
    if action.goes_to is not None:
        done["navigatesTo"] = action.goes_to
    if action.writes and not draft.options.state_tap:
        done["effectUnverifiable"] = True
    return done


def _will_use(draft: Draft, given: object, instance: str | None) -> WillUse:
    used = WillUse()
    if given is not ABSENT:
        used["input"] = cast("Json", redacted(bounded(given), draft.options.redacted_payload))
    if instance is not None:
        used["instance"] = instance
    return used


def _step(row: Row) -> Step:
    cause = row["record"]["cause"]
    kind = f"stimulus:{cause.get('stimulus', 'unknown')}"
    return Step(
        what=cause.get("affordanceId", kind) if cause["kind"] == "fired" else kind,
        principal=cause["principal"],
        outcome=row["record"]["outcome"],
    )
