"""What a step may ask, by its `op`; one table for every driver.

Whatever is a decision on the session is written once, as a function of a draft; what needs code,
time or waiting goes to the driver.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias, cast

from onefate.broker.journey import compile_map
from onefate.broker.session import acknowledge, approval, frames, motion, outcomes, registry, work
from onefate.broker.session.attempt import FireOptions
from onefate.broker.session.fire import fire
from onefate.broker.session.gaps import report_gap
from onefate.broker.session.state import ABSENT
from tests.conformance.driver import Handler, Mount, keywords
from tests.conformance.functions import Error, definition_from, filled
from tests.conformance.handlers import described
from tests.conformance.reading import READING, build_shape, picked, plain, settlement_shape
from tests.conformance.scenario import Json, NotSaid, Step, table, text
from tests.conformance.stage import Stage

Op: TypeAlias = Callable[[Stage, Step], Awaitable[Json]]
OK: Json = {"ok": True}


def options(step: Step) -> dict[str, object]:
    """The options of a step, as the session takes them."""
    return cast("dict[str, object]", filled(table(step.get("options"))))


async def _call(stage: Stage, step: Step) -> Json:
    return await stage.driver.call(stage.port, text(step["tool"]), step.get("args"))


async def _settled_answer(stage: Stage, step: Step) -> Json:
    answer = await stage.driver.settled_answer(stage.port, text(step["id"]))
    return {"undefined": True} if answer is None else answer


async def _when_settled(stage: Stage, step: Step) -> Json:
    stage.waits[text(step["as"])] = await stage.driver.wait(text(step["id"]))
    return OK


async def _waited(stage: Stage, step: Step) -> Json:
    name = text(step["as"])
    if name not in stage.waits:
        raise NotSaid(name)
    settlement = stage.waits[name]()
    if settlement is None:
        return {"state": "open"}
    return {"state": "settled", **table(settlement_shape(settlement))}


async def _port(stage: Stage, step: Step) -> Json:
    stage.use_port(table(step.get("options")))
    return OK


# Code bound to actions


async def _register(stage: Stage, step: Step) -> Json:
    node = text(step["node"])
    declared = table(step.get("actions"))
    handlers = {**table(step.get("handlers")), **_handlers_of(declared)}
    mount = Mount(
        node=node,
        handlers=_bound(stage, handlers),
        actions={name: _declaration(table(action)) for name, action in declared.items()},
        instance=_name(step.get("instance")),
        enabled=cast("dict[str, bool]", table(step.get("enabled"))),
        busy=cast("dict[str, object]", table(step.get("busy"))),
        visible=cast("bool | None", step.get("visible")),
        holds={name: _reader(value) for name, value in table(step.get("holds")).items()},
    )
    return await _mounted(stage, step, mount, f"group:{node}")


async def _register_handlers(stage: Stage, step: Step) -> Json:
    group = text(step["group"])
    mount = Mount(group=group, handlers=_bound(stage, table(step.get("handlers"))))
    return await _mounted(stage, step, mount, f"group:{group}")


async def _register_action(stage: Stage, step: Step) -> Json:
    node, name = text(step["node"]), text(step["action"])
    declared = {name: _declaration(table(step["def"]))} if "def" in step else {}
    wired = "handler" in step or not declared
    mount = Mount(
        node=node,
        handlers=_bound(stage, {name: step.get("handler")} if wired else {}),
        actions=declared,
    )
    return await _mounted(stage, step, mount, f"group:{node}")


async def _mounted(stage: Stage, step: Step, mount: Mount, usual: str) -> Json:
    stage.groups[_name(step.get("save")) or usual] = await stage.driver.mount(mount)
    return OK


def _handlers_of(declared: Mapping[str, Json]) -> dict[str, Json]:
    return {
        name: table(action)["handler"]
        for name, action in declared.items()
        if "handler" in table(action)
    }


def _declaration(action: dict[str, Json]) -> Mapping[str, object]:
    bare = {key: value for key, value in action.items() if key != "handler"}
    return cast("Mapping[str, object]", filled(bare))


def _bound(stage: Stage, handlers: Mapping[str, Json]) -> dict[str, Handler]:
    return {
        name: described(handler, stage.driver, stage.keep) for name, handler in handlers.items()
    }


def _reader(value: Json) -> Callable[[], object]:
    if isinstance(value, dict) and "$fn" in value:
        silent = value["$fn"] == "return" and "value" not in value
        return (lambda: ABSENT) if silent else cast("Callable[[], object]", filled(value))
    return lambda: value


def _name(value: Json) -> str | None:
    return value if isinstance(value, str) else None


async def _unregister(stage: Stage, step: Step) -> Json:
    await stage.driver.unmount(stage.group(step))
    return OK


async def _set_enabled(stage: Stage, step: Step) -> Json:
    group, action, enabled = stage.group(step), text(step["action"]), step.get("enabled") is True
    await stage.driver.decide(
        lambda draft: registry.set_enabled(draft, group, action, enabled=enabled)
    )
    return OK


async def _set_busy(stage: Stage, step: Step) -> Json:
    group, action, label = stage.group(step), text(step["action"]), step.get("label")
    await stage.driver.decide(lambda draft: registry.set_busy(draft, group, action, label))
    return OK


# Motion


async def _show(stage: Stage, step: Step) -> Json:
    await stage.driver.decide(lambda draft: registry.show(draft, text(step["node"])))
    return OK


async def _set_visible(stage: Stage, step: Step) -> Json:
    node, visible = text(step["node"]), step.get("visible") is True
    await stage.driver.decide(lambda draft: registry.set_visible(draft, node, visible=visible))
    return OK


async def _observe_focus(stage: Stage, step: Step) -> Json:
    node, said = text(step["node"]), _name(table(step.get("options")).get("principal"))
    principal = said or "unknown"
    await stage.driver.decide(lambda draft: motion.observe_focus(draft, node, principal=principal))
    return OK


async def _sync(stage: Stage, step: Step) -> Json:
    answer = await stage.driver.decide(
        lambda draft: motion.sync(draft, text(step["page"]), **keywords(options(step), motion.sync))
    )
    return picked(answer, "changed", "node", "offGraph")


async def _update_state(stage: Stage, step: Step) -> Json:
    answer = await stage.driver.report(step.get("delta"), options(step))
    return picked(answer, "ok", "attributed", "reason", "pending")


async def _observe_effect(stage: Stage, step: Step) -> Json:
    wire = cast("dict[str, object]", table(step.get("report")))
    answer = await stage.driver.decide(
        lambda draft: outcomes.observe_effect(draft, text(step["id"]), wire)
    )
    return picked(answer, "ok", "settled", "reason", "awaiting")


async def _reject(stage: Stage, step: Step) -> Json:
    outcome = cast("outcomes.Rejection | None", table(step.get("options")).get("outcome"))
    await stage.driver.decide(lambda draft: outcomes.reject(draft, text(step["id"]), outcome))
    return {}


async def _begin_work(stage: Stage, step: Step) -> Json:
    answer = await stage.driver.begin_work(_name(step.get("label")), options(step))
    return picked(answer, "workId")


def _work_row(stage: Stage, name: str) -> str:
    row = table(stage.saved.get(name)).get("workId")
    if not isinstance(row, str):
        raise NotSaid(name)
    return row


async def _done(stage: Stage, step: Step) -> Json:
    row = _work_row(stage, text(step["work"]))
    error = step.get("error")
    await stage.driver.decide(lambda draft: work.done(draft, row, error))
    return OK


# People and plans


def _door(door: Callable[..., object]) -> Op:
    async def answer(stage: Stage, step: Step) -> Json:
        about = text(step["id"] if "id" in step else step["action"])
        said = await stage.driver.decide(
            lambda draft: door(draft, about, **{"by": "", **keywords(options(step), door)})
        )
        return picked(said, "ok", "reason")

    return answer


async def _decline_confirm(stage: Stage, step: Step) -> Json:
    answer = await stage.driver.decide(
        lambda draft: approval.decline_confirm(
            draft, text(step["action"]), **keywords(options(step), approval.decline_confirm)
        )
    )
    return picked(answer, "askId", "relayed")


async def _acknowledge_stale(stage: Stage, step: Step) -> Json:
    said, keys = table(step.get("options")), cast("list[str]", step.get("keys") or [])
    answer = await stage.driver.decide(
        lambda draft: acknowledge.acknowledge_stale(
            draft,
            text(step["action"]),
            keys,
            offer_id=_name(said.get("offerId")),
            by=_name(said.get("by")) or "agent",
        )
    )
    return picked(answer, "cleared", "acknowledgementId")


async def _fire(stage: Stage, step: Step) -> Json:
    wire = FireOptions.read(options(step), "user")
    answer = await stage.driver.decide(lambda draft: fire(draft, text(step["action"]), wire))
    shape = table(plain(answer))
    if shape["ok"] is not True:
        return picked(answer, "ok", "reason")
    keys = ("ok", "settlement", "effectStatus", "executed", "materialized", "alreadyTrue")
    return {**table(picked(answer, *keys)), "transitionId": table(shape["transition"])["id"]}


async def _fire_raw(stage: Stage, step: Step) -> Json:
    wire = FireOptions.read(options(step), "agent")
    answer = await stage.driver.decide(lambda draft: fire(draft, text(step["action"]), wire))
    shape = table(plain(answer))
    record = table(shape.pop("transition", None))
    shape.pop("available", None)
    if record:
        shape["transitionId"] = record["id"]
        shape |= {key: record[key] for key in ("askId",) if key in record}
    return shape


async def _commit_journey(stage: Stage, step: Step) -> Json:
    said = keywords(options(step), frames.commit_journey)
    answer = await stage.driver.decide(
        lambda draft: frames.commit_journey(draft, text(step["journey"]), **said)
    )
    return picked(answer, "ok", "reason")


async def _leave_journey(stage: Stage, step: Step) -> Json:
    reason = _name(table(step.get("options")).get("reason"))
    await stage.driver.decide(
        lambda draft: frames.leave_journey(draft, reason=cast("frames.FrameStatus | None", reason))
    )
    return OK


async def _report_gap(stage: Stage, step: Step) -> Json:
    gap = cast("dict[str, object]", table(step.get("gap")))
    await stage.driver.decide(lambda draft: report_gap(draft, gap))
    return OK


# Time and authoring


async def _flush(stage: Stage, _step: Step) -> Json:
    await stage.driver.flush()
    return OK


async def _release(stage: Stage, step: Step) -> Json:
    error = Error(step["error"]) if "error" in step else None
    found = await stage.driver.release(text(step["key"]), step.get("value"), error)
    return OK if found else {"ok": False, "reason": "NOTHING_DEFERRED"}


async def _tick(stage: Stage, step: Step) -> Json:
    await stage.driver.tick(cast("int", step["ms"]))
    return OK


async def _build(_stage: Stage, step: Step) -> Json:
    definition = definition_from(cast("dict[str, object]", table(step["def"])))
    return build_shape(compile_map(text(step.get("id", "built")), definition))


OPS: dict[str, Op] = {
    **READING,
    "call": _call,
    "settled_answer": _settled_answer,
    "when_settled": _when_settled,
    "waited": _waited,
    "port": _port,
    "register": _register,
    "register_handlers": _register_handlers,
    "register_action": _register_action,
    "unregister": _unregister,
    "set_enabled": _set_enabled,
    "set_busy": _set_busy,
    "show": _show,
    "set_visible": _set_visible,
    "observe_focus": _observe_focus,
    "sync": _sync,
    "update_state": _update_state,
    "observe_effect": _observe_effect,
    "reject": _reject,
    "begin_work": _begin_work,
    "done": _done,
    "approve": _door(approval.approve_ask),
    "decline": _door(approval.decline_ask),
    "revoke": _door(approval.revoke_ask),
    "always_approve": _door(approval.always_approve),
    "revoke_always": _door(approval.revoke_always_approve),
    "decline_confirm": _decline_confirm,
    "acknowledge_stale": _acknowledge_stale,
    "fire": _fire,
    "fire_raw": _fire_raw,
    "commit_journey": _commit_journey,
    "leave_journey": _leave_journey,
    "report_gap": _report_gap,
    "flush": _flush,
    "release": _release,
    "tick": _tick,
    "build": _build,
}
