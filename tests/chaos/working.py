"""A worker that stops at one point of a fire's life, says the fire, and can be killed there.

`python -m tests.chaos.working URL POINT NAME` reads the queue `q`. The points: `read` (nothing is
claimed), `started` (the handler runs), `ended` (the handler returned, its outcome was not sent).
"""

import sys
from collections.abc import Mapping
from functools import partial

import anyio

from onefate.broker import Broker, Claim, open_broker
from onefate.broker.performing import Handler, HandlersByAction, Worker, current
from tests.chaos.children import say
from tests.chaos.places import quick

ACTIONS = ("pay", "till.count")


class MutedDoor:
    """Says which handler came to an end, and never sends the outcome."""

    async def returned(self, claim: Claim, value: object) -> None:
        del value
        say(claim.fire_id)
        await anyio.sleep_forever()

    async def threw(self, claim: Claim, error: Exception) -> None:
        await self.returned(claim, error)

    async def report(self, claim: Claim, delta: Mapping[str, object]) -> object:
        raise NotImplementedError


async def _runs(_: object) -> None:
    say(current().fire_id)
    await anyio.sleep_forever()


async def _returns(_: object) -> str:
    return "done"


async def work(url: str, point: str, name: str) -> None:
    async with open_broker(quick(url)) as broker:
        await (_read(broker, name) if point == "read" else _perform(broker, point, name))


async def _read(broker: Broker, name: str) -> None:
    async with broker.queue("q", name) as queue:
        while True:
            for entry in await queue.take():
                say(entry.fire_id)
            await queue.wait()


async def _perform(broker: Broker, point: str, name: str) -> None:
    handler: Handler = _runs if point == "started" else _returns
    async with broker.queue("q", name) as queue:
        handlers = HandlersByAction(dict.fromkeys(ACTIONS, handler))
        await Worker(queue, MutedDoor(), handlers, beat_seconds=0.05).run()


if __name__ == "__main__":
    anyio.run(partial(work, *sys.argv[1:4]))
