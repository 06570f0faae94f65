"""An agent's relay: it holds a port in another process."""

import asyncio
import sys

from onefate.port.lines import connect, parse_address


async def main(address: str) -> None:
    """Call a tool at the port, and wait there for what comes of it."""
    async with connect(parse_address(address)) as port:
        fired = await port.call("shop.do_action", {"action": "take"})
        settlement = await port.when_settled(str(fired["transitionId"]))
        print(settlement["effectStatus"])


asyncio.run(main(sys.argv[1]))
