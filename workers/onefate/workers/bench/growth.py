"""Whether a call grows dearer with the calls before it: early and late calls, in turn.

The old session has its history behind it; each window of early calls is of a session of its own.
Every fire comes to rest before the next call.
"""

import time
from contextlib import AsyncExitStack
from typing import Final

from onefate.broker.door import open_session
from onefate.broker.ledger.broker import Broker
from onefate.port import ServedPort, serve_to_agent
from onefate.workers.bench import app
from onefate.workers.bench.figures import Report
from onefate.workers.bench.lives import called
from onefate.workers.bench.order import median
from onefate.workers.bench.place import place
from onefate.workers.bench.size import Size

_EARLY: Final = 6
"""Calls before the first early one that is measured."""
_WINDOW: Final = 8
_MICRO: Final = 1e6


async def growth(url: str, size: Size) -> Report:
    """Give late calls over early ones, as medians."""
    times: dict[str, list[float]] = {
        "do early": [],
        "do late": [],
        "look early": [],
        "look late": [],
    }
    async with place(url) as here, here.broker() as broker, AsyncExitStack() as stack:
        old = await _opened(broker, stack, "old")
        for _ in range(size.history):
            await _live(old)
        for window in range(size.windows):
            async with AsyncExitStack() as brief:
                young = await _opened(broker, brief, f"young-{window}")
                for _ in range(_EARLY):
                    await _live(young)
                for _ in range(_WINDOW):
                    await _measure(young, times["do early"], times["look early"])
                    await _measure(old, times["do late"], times["look late"])
    middle = {name: median(taken) for name, taken in times.items()}
    return Report(
        {
            "late-do-action": middle["do late"] / middle["do early"],
            "late-whats-here": middle["look late"] / middle["look early"],
        },
        {
            "calls before the late ones": size.history,
            "early do_action µs": middle["do early"] * _MICRO,
            "early whats_here µs": middle["look early"] * _MICRO,
        },
    )


async def _opened(broker: Broker, stack: AsyncExitStack, name: str) -> ServedPort:
    session = await stack.enter_async_context(
        open_session(broker, name, app.MAP, app.OPTIONS, name=name)
    )
    await session.register_handlers("app", {app.PAY: app.handler})
    await session.flush()
    return serve_to_agent(session)


async def _live(port: ServedPort) -> None:
    await port.when_settled(await called(port, app.PAY))


async def _measure(port: ServedPort, do: list[float], look: list[float]) -> None:
    began = time.perf_counter()
    fire_id = await called(port, app.PAY)
    do.append(time.perf_counter() - began)
    await port.when_settled(fire_id)
    began = time.perf_counter()
    await port.call("bench.whats_here")
    look.append(time.perf_counter() - began)
