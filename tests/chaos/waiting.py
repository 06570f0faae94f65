"""A port in a process of its own: it waits for each id it is told, and says each receipt.

`python -m tests.chaos.waiting URL SESSION`; after `ready`, a line `ask ID` is answered with the
facts (null while there are none) and a line `wait ID` with `waiting`, later with the receipt.
"""

import sys
from functools import partial

import anyio

from onefate.port import serve_to_agent
from tests.chaos.children import say, stdin_lines
from tests.chaos.places import shop


async def serve(url: str, session_id: str) -> None:
    async with shop(url, session_id) as session, anyio.create_task_group() as group:
        port = serve_to_agent(session)

        async def wait(fire_id: str) -> None:
            say(await port.when_settled(fire_id))

        say("ready")
        async for line in stdin_lines():
            word, fire_id = line.split()
            if word == "wait":
                group.start_soon(wait, fire_id)
                say("waiting")
            else:
                say(await port.settled_answer(fire_id))


if __name__ == "__main__":
    anyio.run(partial(serve, *sys.argv[1:3]))
