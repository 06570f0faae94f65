"""Ports of one process that do whatever occurs to them for a while, and write it all down."""

import sys
import time
from contextlib import AsyncExitStack
from functools import partial

import anyio

from onefate.broker.door import Session
from onefate.broker.errors import OnefateError
from tests.door.histories import Chance, answered, decision, plain
from tests.door.processes import get_ready, say
from tests.door.world import door


async def wander(url: str, session_id: str, seed: str, ports: str, seconds: str) -> None:
    written: list[object] = []

    async def port(session: Session, chance: Chance) -> None:
        until = time.monotonic() + float(seconds)
        while time.monotonic() < until:
            command = chance.next()
            try:
                done = await session.decided(decision(command))
            except OnefateError as error:
                chance.hear(answered(error))
                continue
            answer = plain(done.answer)
            chance.hear(answer)
            written.append([done.revision, done.wrote, done.now, command, answer])

    async with AsyncExitStack() as stack:
        doors = [await stack.enter_async_context(door(url, session_id)) for _ in range(int(ports))]
        await get_ready()
        async with anyio.create_task_group() as group:
            for index, each in enumerate(doors):
                group.start_soon(port, each, Chance(int(seed) * 1000 + index))
    say(written)


if __name__ == "__main__":
    anyio.run(partial(wander, *sys.argv[1:]))
