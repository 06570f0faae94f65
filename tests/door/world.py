"""A small shop for the tests of sessions on a server: one map, its options, and how to open it."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from onefate.broker import open_broker
from onefate.broker.door import Session, open_session
from onefate.broker.journey import JourneyMap, compile_map

TILL: Mapping[str, object] = {
    "pages": {
        "till": {
            "actions": {
                "look": {"does": "Look at the till"},
                "count": {"does": "Count the drawer", "writes": ["counted"]},
                "weigh": {"does": "Weigh the basket", "writes": ["weight"]},
                "open": {"does": "Open the drawer", "concurrency": {"mode": "single-flight"}},
                "close-day": {"does": "Close the day", "concurrency": {"mode": "once"}},
                "refund": {"does": "Refund a sale", "confirm": True, "writes": ["refunded"]},
                "to-stock": {"does": "Go to the stock room", "goTo": "stock"},
            }
        },
        "stock": {
            "actions": {
                "take": {"does": "Take one off the shelf", "writes": ["taken"]},
                "to-till": {"does": "Go back to the till", "goTo": "till"},
            }
        },
    },
    "journeys": {"sell": {"does": "Sell something", "steps": ["weigh", "till.open"]}},
}
STATE: Mapping[str, object] = {"counted": 0, "weight": 0, "refunded": 0, "taken": 0}
OPTIONS: Mapping[str, object] = {"state": dict(STATE), "requireHumanApproval": True}


SHOP: JourneyMap = compile_map("shop", TILL)


@asynccontextmanager
async def door(
    url: str, session_id: str, options: Mapping[str, object] = OPTIONS, *, name: str | None = None
) -> AsyncGenerator[Session]:
    """One door on the shop's session, over a connection of its own."""
    async with (
        open_broker(url) as broker,
        open_session(broker, session_id, SHOP, options, name=name) as session,
    ):
        yield session
