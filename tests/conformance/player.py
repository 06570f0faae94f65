"""Plays a scenario on a driver and says where its answers are not the recorded ones."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from onefate.broker.errors import OnefateError
from onefate.broker.journey import JourneyMap, compile_map
from onefate.port import port_options
from tests.conformance.compare import Difference, differences
from tests.conformance.driver import Opener, Plan
from tests.conformance.functions import definition_from, filled
from tests.conformance.ops import OPS
from tests.conformance.scenario import MISSING, Json, Scenario, Step, lookup, resolved, table, text
from tests.conformance.stage import Stage


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A step that answered something else."""

    step: int
    op: str
    difference: Difference


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one scenario: met if nothing that is compared differs."""

    scenario: Scenario
    mismatches: Sequence[Mismatch]
    answers: Sequence[Json]

    @property
    def met(self) -> bool:
        return not self.mismatches


async def play(scenario: Scenario, opener: Opener) -> Outcome:
    """Play every step, compare those that are to be compared."""
    try:
        journey_map = compile_map(scenario.map_id, definition_from(scenario.definition))
    except OnefateError as error:
        return _outcome(scenario, [{"build": {"raises": error.code}}])
    except Exception:  # noqa: BLE001 - whatever else it raises is a finding, not the player's end
        return _outcome(scenario, [{"build": _crash()}])
    return _outcome(scenario, await _session(scenario, journey_map, opener))


async def _session(scenario: Scenario, journey_map: JourneyMap, opener: Opener) -> list[Json]:
    plan = Plan(journey_map, cast("dict[str, object]", filled(scenario.session)))
    try:
        async with opener(plan) as driver:
            stage = Stage(driver, port_options(cast("dict[str, object]", scenario.port)))
            return [await _answer(stage, step) for step in scenario.steps]
    except OnefateError as error:
        return [{"session": {"raises": error.code}}]
    except Exception:  # noqa: BLE001
        return [{"session": _crash()}]


async def _answer(stage: Stage, step: Step) -> Json:
    """Play one step, then let everything run; what it raises on purpose is its answer."""
    condition = step.get("if")
    if condition is not None and lookup(text(condition), stage.saved) in (MISSING, None):
        return {"skipped": True}
    op = OPS.get(text(step["op"]))
    if op is None:
        return {"crashed": f"there is no op {step['op']!r}"}
    try:
        answer = await op(stage, _arguments(step, stage.saved))
        await stage.driver.flush()
    except OnefateError as error:
        return {"raises": error.code}
    except Exception:  # noqa: BLE001
        return _crash()
    if "save" in step:
        stage.keep(text(step["save"]), answer)
    return answer


def _arguments(step: Step, saved: Mapping[str, Json]) -> Step:
    """The step with its references replaced; an id that was never given is the empty one."""
    found = table(resolved(step, saved))
    return {"id": "", **found} if "id" in step else found


def _crash() -> Json:
    return {"crashed": traceback.format_exc(limit=-6)}


def _op(scenario: Scenario, index: int) -> str:
    return text(scenario.steps[index]["op"]) if index < len(scenario.steps) else "build"


def _outcome(scenario: Scenario, answers: list[Json]) -> Outcome:
    compared = len(scenario.expect) if scenario.departs is None else scenario.departs
    mismatches = [
        Mismatch(index, _op(scenario, index), difference)
        for index in range(compared)
        for difference in differences(
            scenario.expect[index], answers[index] if index < len(answers) else None
        )
    ]
    crashed = [
        Mismatch(index, "crash", Difference("", "an answer", answer))
        for index, answer in enumerate(answers)
        if index >= compared and isinstance(answer, dict) and "crashed" in answer
    ]
    return Outcome(scenario, [*mismatches, *crashed], answers)
