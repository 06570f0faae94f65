"""A process that opens a broker, records one fire, says its id, and waits for its settlement.

`python -m tests.chaos.holding URL` says the id, and the settlement's data if it lives to see it.
"""

import sys

import anyio

from onefate.broker import BrokerSettings, open_broker
from tests.chaos.children import say


async def hold(url: str) -> None:
    async with open_broker(BrokerSettings(url=url, heartbeat=0.1, deadline=1)) as broker:
        ledger = broker.ledger("s")
        fire = await ledger.record("pay")
        say(fire.id)
        say((await ledger.when_settled(fire.id)).data)


if __name__ == "__main__":
    anyio.run(hold, sys.argv[1])
