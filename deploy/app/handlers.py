"""An example app: what happens when an action of map.json is performed."""

from collections.abc import Mapping
from itertools import count
from typing import Final

from onefate.workers import Handler, report

_orders = count(41)


async def place_order(_: object) -> object:
    """Take the order, and report what it changed."""
    order = next(_orders)
    await report({"order": order})
    return {"order": order}


async def empty_cart(_: object) -> object:
    """Forget what was in the cart."""
    await report({"cart": 0})
    return None


HANDLERS: Final[Mapping[str, Handler]] = {
    "checkout.place-order": place_order,
    "checkout.empty-cart": empty_cart,
}
