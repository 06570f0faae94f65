"""A test of an app's map and handlers, without a server: everything in this process."""

import asyncio
from pathlib import Path

from onefate.broker import open_broker
from onefate.broker.door import open_session
from onefate.port import serve_to_agent
from onefate.workers.mapfile import load_map

SHOP = load_map(Path(__file__).with_name("shop.json"))


async def taken() -> object:
    """Take one from the shelf, with a handler that fails."""

    def broken(_: object) -> object:
        raise RuntimeError("the shelf is empty")

    async with open_broker("memory://") as broker, open_session(broker, "t", SHOP) as session:
        await session.register_handlers("app", {"shelf.take": broken})
        port = serve_to_agent(session)
        fired = await port.call("shop.do_action", {"action": "take"})
        await port.when_settled(str(fired["transitionId"]))
        return await port.settled_answer(str(fired["transitionId"]))


def test_a_failure_is_told() -> None:
    """The agent reads what went wrong."""
    told = asyncio.run(taken())
    assert isinstance(told, dict)
    assert (told["effectStatus"], told["error"]) == ("refused", "RuntimeError: the shelf is empty")
