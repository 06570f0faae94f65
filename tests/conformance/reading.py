"""The steps that only read, and the shapes in which scenarios show what a session holds."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias, cast

from onefate.broker.journey import JourneyMap
from onefate.broker.session import acknowledge, cards, frames, offers, rows, settle, staleness
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.available import available, explain
from onefate.broker.session.reads.changes import keys_changed_since
from onefate.broker.session.reads.decisions import decisions
from onefate.broker.session.reads.slice import why
from onefate.broker.session.state import Row
from tests.conformance.scenario import Json, Step, table, text
from tests.conformance.stage import Stage

Op: TypeAlias = Callable[[Stage, Step], Awaitable[Json]]
TIMES = frozenset({"timestamp"})


def plain(value: object) -> Json:
    """The value as JSON holds it; whatever JSON cannot hold is a fault of ours and raises."""
    return cast("Json", json.loads(json.dumps(value, allow_nan=False)))


def picked(value: object, *keys: str) -> Json:
    """Of an object, these keys where they are there."""
    found = table(plain(value))
    return {key: found[key] for key in keys if key in found}


def rows_of(values: Sequence[object], *keys: str) -> Json:
    """Of every row, these keys."""
    return [picked(value, *keys) for value in values]


def settlement_shape(receipt: object) -> Json:
    """A settlement as `settlement_if_known` shows it."""
    found = table(plain(receipt))
    shape = table(picked(found, "effectStatus", "outcome", "verifyHeld", "produced"))
    return {**shape, "hasError": "error" in found}


def record_shape(record: object) -> dict[str, Json]:
    """A transition without its times."""
    return {key: value for key, value in table(plain(record)).items() if key not in TIMES}


def build_shape(journey_map: JourneyMap) -> Json:
    """What became of a map that was built."""
    return {
        "built": True,
        "actions": list(journey_map.actions),
        "nodes": list(journey_map.nodes),
        "journeys": {name: list(made.steps) for name, made in journey_map.journeys.items()},
        "stateKeys": list(journey_map.state_keys),
    }


def reads(read: Callable[[Draft, Step], object]) -> Op:
    """A step that only reads: what a function of a draft answers, None as `undefined`."""

    async def answer(stage: Stage, step: Step) -> Json:
        found = plain(await stage.driver.decide(lambda draft: read(draft, step)))
        return {"undefined": True} if found is None else found

    return answer


async def _tools(stage: Stage, _step: Step) -> Json:
    return cast("Json", json.loads(await stage.driver.tools(stage.port)))


async def _tools_stable(stage: Stage, _step: Step) -> Json:
    array = await stage.driver.tools(stage.port)
    if stage.array is None:
        stage.array = array
    return {"same": array == stage.array}


async def _tool_shapes(stage: Stage, _step: Step) -> Json:
    array = cast("list[Json]", json.loads(await stage.driver.tools(stage.port)))
    return [_tool_shape(table(tool)) for tool in array]


def _tool_shape(tool: dict[str, Json]) -> Json:
    schema = table(tool["inputSchema"])
    properties = {name: table(made) for name, made in table(schema["properties"]).items()}
    texts = [tool.get("description"), *(made.get("description") for made in properties.values())]
    shape: dict[str, Json] = {
        "name": tool["name"],
        "described": all(isinstance(part, str) and part for part in texts),
        "properties": [f"{name}: {text(made['type'])}" for name, made in properties.items()],
        "additionalProperties": schema["additionalProperties"],
    }
    if "required" in schema:
        shape["required"] = schema["required"]
    return shape


def _record(draft: Draft, step: Step) -> object:
    row = rows.find(draft, text(step["id"]))
    return None if row is None else record_shape(row["record"])


def _receipt(draft: Draft, step: Step) -> object:
    receipt = settle.settlement_if_known(draft, text(step["id"]))
    if receipt is None:
        return None
    shape = table(plain(receipt))
    record = record_shape(shape.pop("transition"))
    error = shape.get("error")
    if isinstance(error, dict) and error.get("raised") is True:
        shape["error"] = {"raised": True}
    return {**shape, "record": record}


def _settlement(draft: Draft, step: Step) -> object:
    receipt = settle.settlement_if_known(draft, text(step["id"]))
    return None if receipt is None else settlement_shape(receipt)


def _produced(draft: Draft, step: Step) -> object:
    row = rows.find(draft, text(step["id"]))
    if row is None or "produced" not in row["record"]:
        return None
    return {"value": row["record"]["produced"]}


def _transition(row: Row) -> Json:
    record = table(plain(row["record"]))
    cause = table(record["cause"])
    shape = table(
        picked(record, "id", "outcome", "effectVerified", "fromNode", "toNode", "arrival")
    )
    return {**shape, **table(picked(cause, "kind", "principal", "affordanceId"))}


def _gap_row(gap: Mapping[str, object]) -> Json:
    shape = record_shape(gap)
    shape["actions"] = shape.pop("availableActions")
    return shape


_CONFIRM = (
    "kind", "askId", "affordanceId", "principal", "transitionId", "by", "note", "enforced",
    "relayed", "scopeInstance", "stateVersion", "rejectionReason",
)  # fmt: skip
_ASK = ("askId", "affordanceId", "does", "instance", "answer", "spent", "revoked", "stale")
_FRAME = (
    "journeyId", "status", "principal", "openedAtVersion", "closedAtVersion", "firedSteps",
    "inferredSteps",
)  # fmt: skip
_WORK = ("workId", "label", "transitionId", "affordanceId", "principal")
_PLAN = (
    "affordanceId", "status", "dependsOn", "onNodes", "blockedOn", "guardUnevaluated",
    "humanDecides",
)  # fmt: skip
_ACK = (
    "acknowledgementId", "actionId", "offerId", "principal", "keys", "acknowledgedAtStateVersion",
)  # fmt: skip

READING: dict[str, Op] = {
    "tools": _tools,
    "tools_stable": _tools_stable,
    "tool_shapes": _tool_shapes,
    "record": reads(_record),
    "receipt": reads(_receipt),
    "settlement_if_known": reads(_settlement),
    "produced_for": reads(_produced),
    "standing": reads(lambda draft, step: frames.journey_standing(draft, text(step["journey"]))),
    "plan": reads(
        lambda draft, step: rows_of(frames.journey_plan(draft, text(step["journey"])), *_PLAN)
    ),
    "frames": reads(lambda draft, _: rows_of(frames.closed_frames(draft), *_FRAME)),
    "decisions": reads(lambda draft, _: decisions(draft)),
    "asks": reads(lambda draft, _: rows_of(cards.asks(draft), *_ASK)),
    "confirms": reads(lambda draft, _: rows_of(draft.confirms.all(), *_CONFIRM)),
    "pending": reads(lambda draft, _: rows_of(draft.pending, "id", "affordanceId")),
    "awaiting": reads(lambda draft, _: settle.awaiting_settlement(draft)),
    "available": reads(lambda draft, _: [row["affordanceId"] for row in available(draft)["edges"]]),
    "open_work": reads(lambda draft, _: rows_of([*draft.work.values()], *_WORK)),
    "transitions": reads(lambda draft, _: [_transition(row) for row in rows.every(draft)]),
    "gaps": reads(
        lambda draft, _: rows_of(draft.gaps.all(), "kind", "affordanceId", "rejectionReason")
    ),
    "gap_rows": reads(lambda draft, _: [_gap_row(gap) for gap in draft.gaps.all()]),
    "state": reads(lambda draft, _: draft.state),
    "version": reads(lambda draft, _: {"version": draft.counters["version"]}),
    "versions": reads(
        lambda draft, _: picked(draft.counters, "version", "stateVersion", "structureVersion")
    ),
    "explain": reads(lambda draft, step: explain(draft, text(step["action"]))),
    "changed_since": reads(
        lambda draft, step: keys_changed_since(
            draft, cast("int | None", step.get("since")), cast("str | None", step.get("for"))
        )
    ),
    "carried": reads(lambda draft, step: staleness.carried(draft, text(step["action"]))),
    "offer_standing": reads(
        lambda draft, step: {"standing": offers.standing(draft, text(step["offerId"]))}
    ),
    "offers_retention": reads(lambda draft, _: offers.retention(draft)),
    "acks": reads(lambda draft, _: rows_of(acknowledge.acknowledgements(draft), *_ACK)),
    "acks_retention": reads(lambda draft, _: acknowledge.retention(draft)),
    "focus_history": reads(lambda draft, _: draft.focus_log.all()),
    "why_ids": reads(lambda draft, step: {"ids": why(draft, text(step["key"])).ids}),
}
