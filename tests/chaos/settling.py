"""A process that settles: each id on its standard input, as soon as it is read.

`python -m tests.chaos.settling URL SESSION` says `ready`, settles until its input ends, and prints
how many it won.
"""

import asyncio
import sys
from functools import partial

import anyio

from onefate.broker import BrokerSettings, Durability, Ledger, open_broker, performed
from tests.chaos.children import say, stdin_lines

AT_ONCE = 64


async def settle(url: str, session: str) -> None:
    won = 0
    async with open_broker(BrokerSettings(url=url, durability=Durability.FAST)) as broker:
        ledger = broker.ledger(session)
        gate = asyncio.Semaphore(AT_ONCE)
        say("ready")
        async with anyio.create_task_group() as group:
            async for fire_id in stdin_lines():
                await gate.acquire()
                group.start_soon(_one, ledger, fire_id, gate)
                won += 1
    say(won)


async def _one(ledger: Ledger, fire_id: str, gate: asyncio.Semaphore) -> None:
    try:
        told = await ledger.settle(fire_id, performed(fire_id), by="settler")
        if not told.won:
            raise AssertionError(f"{fire_id} was won by {told.settlement.by}")
    finally:
        gate.release()


if __name__ == "__main__":
    anyio.run(partial(settle, *sys.argv[1:3]))
