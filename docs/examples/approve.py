"""A person says yes to one fire; the agent cannot say it for them, and cannot use it twice."""

import asyncio
from pathlib import Path

from onefate.broker import open_broker
from onefate.broker.door import open_session
from onefate.port import serve_to_agent
from onefate.workers import report
from onefate.workers.mapfile import load_map

SHOP = load_map(Path(__file__).with_name("shop.json"))
OPTIONS = {"state": {"paid": False}, "requireHumanApproval": True}


async def pay(_: object) -> object:
    """Perform one fire of shelf.pay; the report belongs to that fire, and settles it."""
    await report({"paid": True})
    return {"receipt": 41}


async def main() -> None:
    """Ask, be refused, get a yes, use it, and be refused again."""
    async with open_broker() as broker, open_session(broker, "visitor-3", SHOP, OPTIONS) as session:
        await session.register_handlers("app", {"shelf.pay": pay})
        port = serve_to_agent(session)
        wanted = {"action": "pay", "confirm": True}

        refused = await port.call("shop.do_action", wanted)
        print(refused["judgment"], refused["reason"])

        await session.approve(str(refused["askId"]), by="Kim", note="seen at the till")
        fired = await port.call("shop.do_action", wanted)
        settlement = await port.when_settled(str(fired["transitionId"]))
        print(settlement["effectStatus"], settlement["outcome"])

        again = await port.call("shop.do_action", wanted)
        print(again["judgment"], again["reason"])


asyncio.run(main())
