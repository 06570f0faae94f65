"""The same port for programs without an event loop."""

from pathlib import Path

from onefate.port.blocking import open_blocking_port
from onefate.workers.mapfile import load_map

SHOP = load_map(Path(__file__).with_name("shop.json"))


def search(_: object) -> object:
    """Perform one fire of shelf.search, in a thread of its own."""
    return {"hits": 2}


with open_blocking_port(None, "visitor-5", SHOP, handlers={"shelf.search": search}) as port:
    fired = port.call("shop.do_action", {"action": "search"})
    settlement = port.when_settled(str(fired["transitionId"]), timeout=30)
    print(settlement["effectStatus"], settlement.get("produced"))
