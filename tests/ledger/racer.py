"""One process of the race: settles every fire of a session and prints what it was told."""

import asyncio
import json
import sys

from onefate.broker import BrokerSettings, Durability, open_broker, performed

AT_ONCE = 64


async def race(url: str, session: str, author: str, fires: int) -> None:
    """Settles all fires, a bounded number at once, and prints one line for each."""
    settings = BrokerSettings(url=url, durability=Durability.MEMORY)
    async with open_broker(settings) as broker:
        ledger = broker.ledger(session)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
        answers: list[tuple[int, bool, str, int]] = []
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(number: int) -> None:
            async with gate:
                told = await ledger.settle(f"pay#{number}", performed(author), by=author)
            answers.append((number, told.won, told.settlement.by, told.settlement.at_ms))

        await asyncio.gather(*(one(number) for number in range(fires)))
        json.dump(sorted(answers), sys.stdout)


if __name__ == "__main__":
    asyncio.run(race(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
