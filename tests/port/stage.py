"""A page of the smallest app, wired with what a test brings, played on the machine in memory."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final, cast

from onefate.broker.journey import compile_map
from onefate.broker.session import approval, outcomes
from onefate.port import Port, PortOptions, folded
from tests.conformance.core import CoreDriver
from tests.conformance.driver import Handler, Mount, Plan
from tests.conformance.scenario import Json

AMOUNT: Final = {"type": "object", "properties": {"amt": {"type": "number"}}}
DEFINITION: Final[dict[str, object]] = {
    "pages": {
        "a": {
            "actions": {
                "n": {"does": "N"},
                "w": {"does": "W", "writes": ["x"]},
                "u": {"does": "U", "writes": ["y"]},
                "nav": {"does": "Nav", "goTo": "b"},
                "v": {"does": "V", "writes": ["x"], "verify": {"x": {"eq": 1}}},
                "check": {"does": "Check", "verify": {"x": {"eq": 7}}},
                "pay": {"does": "Pay", "confirm": True, "input": AMOUNT},
                "off": {"does": "Off", "confirm": True, "enabledWhen": {"x": {"gt": 99}}},
                "one": {"does": "One", "concurrency": {"mode": "single-flight"}},
                "once": {"does": "Once", "concurrency": {"mode": "once"}},
                "read": {"does": "Read", "reads": ["x"], "writes": ["y"]},
            },
        },
        "b": {"actions": {"z": {"does": "Z"}}},
    },
    "actions": {"ask": {"does": "Ask for help", "on": ["a"]}},
    "journeys": {
        "j": {"does": "J", "steps": ["a.w", "a.n"]},
        "last": {"does": "Last", "steps": ["a.n"]},
        "shut": {"does": "Shut", "when": {"x": {"gt": 99}}, "steps": ["a.n"]},
    },
}
MAP: Final = compile_map("g", DEFINITION)


async def idle(_payload: object) -> object:
    return None


def returning(value: object) -> Handler:
    async def handler(_payload: object) -> object:
        return value

    return handler


class HandlerError(Exception):
    """What a handler of a test raises."""


async def failing(_payload: object) -> object:
    raise HandlerError("nope")


class Stage:
    """The app's side and the agent's side of one session."""

    def __init__(self, driver: CoreDriver, port: PortOptions) -> None:
        self.driver = driver
        self.port = port

    async def call(self, tool: str, **arguments: object) -> dict[str, Json]:
        answer = await self.driver.call(self.port, f"g.{tool}", arguments)
        return cast("dict[str, Json]", answer)

    async def do(self, action: str, **arguments: object) -> dict[str, Json]:
        """Perform an action; its handler has not run when this returns."""
        return await self.call("do_action", action=action, **arguments)

    async def did(self, asked: Json) -> dict[str, Json]:
        """Let everything run, then ask what became of it."""
        await self.driver.flush()
        return await self.call("did_it_work", transitionId=asked)

    async def fold(self, answer: dict[str, Json]) -> dict[str, Json]:
        """Tell an answer again as a transport does that waited a moment."""
        told = await self.driver.decide(
            lambda draft: folded(draft, Port(MAP, draft.options, self.port), dict(answer))
        )
        return cast("dict[str, Json]", told)

    async def report(self, delta: dict[str, Json], **options: object) -> Json:
        return await self.driver.report(delta, options)

    async def reject(self, asked: Json, outcome: outcomes.Rejection | None = None) -> None:
        await self.driver.decide(lambda draft: outcomes.reject(draft, str(asked), outcome))

    async def observe(self, asked: Json, **report: object) -> Json:
        answer = await self.driver.decide(
            lambda draft: outcomes.observe_effect(draft, str(asked), report)
        )
        return cast("Json", answer)

    async def approve(self, asked: Json) -> None:
        answer = await self.driver.decide(
            lambda draft: approval.approve_ask(draft, str(asked), by="Ann")
        )
        assert answer["ok"] is True

    async def person(self, door: Callable[..., Mapping[str, object]], asked: Json) -> None:
        answer = await self.driver.decide(lambda draft: door(draft, str(asked), by="Ann"))
        assert answer["ok"] is True


@asynccontextmanager
async def stage(
    handlers: Mapping[str, Handler] | None = None,
    *,
    port: PortOptions | None = None,
    **session: object,
) -> AsyncGenerator[Stage]:
    """Open the app on page `a` with `x` at 0, every action wired to nothing unless told."""
    wired: dict[str, Handler] = {**dict.fromkeys(MAP.actions, idle), **(handlers or {})}
    driver = CoreDriver(Plan(MAP, {"state": {"x": 0}, **session}))
    await driver.mount(Mount(group="app", handlers=wired))
    await driver.flush()
    try:
        yield Stage(driver, port or PortOptions())
    finally:
        driver.close()


def position(version: int, page: str = "a") -> dict[str, Json]:
    """The keys of position every answer carries."""
    return {"youAreOn": page, "version": version}
