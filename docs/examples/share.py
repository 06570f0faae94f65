"""Two processes hold one session: what one fires, the other can ask about."""

import asyncio
from pathlib import Path

from onefate.broker import open_broker
from onefate.broker.door import attach_session, open_session
from onefate.port import serve_to_agent
from onefate.workers.mapfile import load_map

SHOP = load_map(Path(__file__).with_name("shop.json"))


async def main() -> None:
    """Fire through one door, settle through another; each has a connection of its own."""
    async with (
        open_broker() as here,
        open_broker() as there,
        open_session(here, "visitor-2", SHOP, {"state": {"cart": 0}}) as first,
        attach_session(there, "visitor-2", SHOP) as second,
    ):
        await first.wire("shelf", ["shelf.take"], queue="nobody-yet")
        fired = await serve_to_agent(first).call("shop.do_action", {"action": "take"})
        fire = str(fired["transitionId"])

        waiting = asyncio.create_task(serve_to_agent(first).when_settled(fire))
        told = await serve_to_agent(second).call("shop.did_it_work", {"transitionId": fire})
        print(told["settled"], told["evidence"])

        await second.update_state({"cart": 1}, transition_id=fire)
        print((await waiting)["effectStatus"], await second.state())


asyncio.run(main())
