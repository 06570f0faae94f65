"""Ten agents of one process, each through a door of its own, fire the same action at once."""

import sys
from contextlib import AsyncExitStack
from functools import partial

import anyio

from onefate.port import serve_to_agent
from tests.door.processes import get_ready, say
from tests.door.world import door

AGENTS = 10


async def race(url: str, session_id: str, action: str, confirm: str) -> None:
    answers: list[object] = []

    async with AsyncExitStack() as stack:
        doors = [await stack.enter_async_context(door(url, session_id)) for _ in range(AGENTS)]
        ports = [serve_to_agent(each) for each in doors]
        arguments = {"action": action, "input": {"sale": 7}, "confirm": confirm == "confirm"}
        await get_ready()

        async def fire(index: int) -> None:
            answers.append(await ports[index].call("shop.do_action", arguments))

        async with anyio.create_task_group() as group:
            for index in range(AGENTS):
                group.start_soon(fire, index)
    say(answers)


if __name__ == "__main__":
    anyio.run(partial(race, *sys.argv[1:]))
