"""What happens after a fire settled stands beside its settlement, and never changes it."""

import asyncio
from pathlib import Path

from onefate.broker import open_broker
from onefate.broker.door import open_session
from onefate.port import serve_to_agent
from onefate.workers.mapfile import load_map

SHOP = load_map(Path(__file__).with_name("shop.json"))


async def main() -> None:
    """Settle by an outside source, then hear from it again."""
    async with open_broker() as broker, open_session(broker, "visitor-4", SHOP) as session:
        await session.wire("till", ["shelf.pay"], queue="nobody-yet")
        port = serve_to_agent(session)
        fired = await port.call("shop.do_action", {"action": "pay", "confirm": True})
        fire = str(fired["transitionId"])

        await session.observe_effect(fire, {"source": "bank", "status": "performed"})
        await session.observe_effect(fire, {"source": "bank", "status": "refused"})

        told = await port.settled_answer(fire)
        assert told is not None
        print(told["effectStatus"], told.get("reportedBy"))
        print([(news["what"], news["status"]) for news in told.get("later", [])])


asyncio.run(main())
