"""Open a session, perform its actions in this process, and serve a port to an agent."""

import asyncio
from pathlib import Path

from onefate.broker import open_broker
from onefate.broker.door import open_session
from onefate.port import serve_to_agent
from onefate.workers.mapfile import load_map

SHOP = load_map(Path(__file__).with_name("shop.json"))


async def search(_: object) -> object:
    """Perform one fire of shelf.search."""
    return {"hits": ["blue lamp", "red lamp"]}


async def main() -> None:
    """Call a tool, and wait for what comes of it."""
    async with open_broker() as broker, open_session(broker, "visitor-1", SHOP) as session:
        await session.register_handlers("app", {"shelf.search": search})
        port = serve_to_agent(session)
        print([tool["name"] for tool in port.tools()])

        fired = await port.call("shop.do_action", {"action": "search", "input": {"for": "lamp"}})
        print(fired["ok"], fired["effectStatus"])

        fire = str(fired["transitionId"])
        settlement = await port.when_settled(fire)
        print(settlement["effectStatus"], settlement["outcome"])
        print(await port.settled_answer(fire))


asyncio.run(main())
