"""A settlement that no fire of the session explains is told, and never fought for ever."""

import anyio
import pytest

from onefate.broker import open_broker, open_session
from onefate.broker.door.errors import Contradicted
from onefate.port import serve_to_agent
from tests.door.world import SHOP, STATE
from tests.guarantees import proves

pytestmark = proves("settle:immutable", "answer:one-truth")


async def test_a_foreign_settlement_under_a_fires_number_is_refused_by_name(url: str) -> None:
    async with (
        open_broker(url) as broker,
        open_session(broker, "torn", SHOP, {"state": dict(STATE)}) as session,
    ):
        await session.wire("app", ["till.look"], queue="nobody")
        await session.flush()
        port = serve_to_agent(session)
        fire = str((await port.call("shop.do_action", {"action": "look"}))["transitionId"])
        number = fire.partition("#")[2]
        foreign = f"t 1 someone performed till.count#{number}\n{{}}"
        await broker.link.execute("SET", broker.keys("torn").settlement(number), foreign)
        with anyio.fail_after(10), pytest.raises(Contradicted, match=fire):
            await session.observe_effect(fire, {"source": "audit", "status": "performed"})
