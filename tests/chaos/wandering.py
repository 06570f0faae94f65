"""A process of a port or of a worker on one session, acting at random while everything breaks.

`python -m tests.chaos.wandering URL SESSION SEED KIND SECONDS` says `ready`, waits for a line, then
acts. A port waits for every fire it was given; it says `{history, fates}` once each wait has ended.
A worker performs what is queued until it is told to end, and says its `{history, fates}` then.
"""

import sys
import time
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from onefate.broker import Broker, Claim, open_broker
from onefate.broker.door import Session, open_session
from onefate.broker.errors import OnefateError
from tests.chaos.children import say, stdin_lines
from tests.chaos.places import quick
from tests.door.histories import Chance, Wire, answered, decision, plain
from tests.door.world import OPTIONS, SHOP

QUEUE = "nobody"


@dataclass(slots=True)
class Written:
    """What a process did, and how the fires it was given came to rest."""

    session: Session
    history: list[object] = field(default_factory=list[object])
    fates: dict[str, object] = field(default_factory=dict[str, object])
    waited: set[str] = field(default_factory=set[str])

    async def do(self, command: Wire) -> object:
        """Do a command and write it down; gives its answer."""
        try:
            done = await self.session.decided(decision(command))
        except OnefateError as error:
            return answered(error)
        answer = plain(done.answer)
        self.history.append([done.revision, done.wrote, done.now, command, answer])
        return answer

    async def wait(self, fire_id: str) -> None:
        """Wait for a fire and write its receipt down."""
        self.fates[fire_id] = await self.session.when_settled(fire_id)

    def wait_for(self, answer: object, group: TaskGroup) -> None:
        """Wait for the fire of an answer, if it names one for the first time."""
        told = cast("Wire", answer) if isinstance(answer, dict) else {}
        fire_id = told.get("transitionId")
        if isinstance(fire_id, str) and "did" in told and fire_id not in self.waited:
            self.waited.add(fire_id)
            group.start_soon(self.wait, fire_id)


async def port(session: Session, seed: int, seconds: float) -> Written:
    written, chance = Written(session), Chance(seed)
    until = time.monotonic() + seconds
    async with anyio.create_task_group() as group:
        while time.monotonic() < until:
            answer = await written.do(chance.next())
            chance.hear(answer)
            written.wait_for(answer, group)
        say("waiting")
    return written


async def worker(broker: Broker, session: Session, name: str) -> Written:
    written = Written(session)
    async with anyio.create_task_group() as group:
        group.start_soon(_perform, broker, written, name)
        async for _ in stdin_lines():
            continue
        group.cancel_scope.cancel()
    return written


async def _perform(broker: Broker, written: Written, name: str) -> None:
    async with broker.queue(QUEUE, name) as queue:
        while True:
            for entry in await queue.take():
                claim = await queue.claim(entry)
                if isinstance(claim, Claim):
                    returned: Wire = {"do": "returned", "id": claim.fire_id, "value": {"n": 1}}
                    await written.do(returned)
            await queue.wait()


async def wander(url: str, session_id: str, seed: str, kind: str, seconds: str) -> None:
    name = f"{kind}-{seed}"
    async with (
        open_broker(quick(url)) as broker,
        open_session(broker, session_id, SHOP, OPTIONS, name=name) as session,
    ):
        say("ready")
        await anyio.to_thread.run_sync(sys.stdin.readline)
        if kind == "port":
            written = await port(session, int(seed), float(seconds))
        else:
            written = await worker(broker, session, name)
    say({"history": written.history, "fates": written.fates})


if __name__ == "__main__":
    anyio.run(partial(wander, *sys.argv[1:6]))
