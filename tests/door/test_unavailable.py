"""A store that does not answer, or takes nothing more, is an answer of the port; nothing hangs."""

import anyio
import anyio.to_thread

from onefate.broker import Broker, open_session
from onefate.broker.ledger.embedded import OwnedServer
from onefate.port import serve_to_agent
from tests.door.world import SHOP, STATE
from tests.guarantees import proves

pytestmark = proves("call:never-waits", "fire:atomic")
LOOK = ("shop.do_action", {"action": "look"})


async def test_a_frozen_store_is_an_answer_after_the_ports_patience(
    server: OwnedServer, broker: Broker
) -> None:
    async with open_session(broker, "frozen", SHOP, {"state": dict(STATE)}) as session:
        await session.wire("app", ["till.look"], queue="nobody")
        port = serve_to_agent(session, patience=0.2)
        await anyio.to_thread.run_sync(server.pause)
        try:
            with anyio.fail_after(10):
                answer = await port.call(*LOOK)
        finally:
            await anyio.to_thread.run_sync(server.resume)
        assert answer["reason"] == "STORE_UNAVAILABLE"
        assert answer["judgment"] == "error"
        assert "transitionId" not in answer
        with anyio.fail_after(20):
            again = await serve_to_agent(session).call(*LOOK)
        assert again["ok"] is True


async def test_a_full_store_is_an_answer_and_records_nothing(broker: Broker) -> None:
    async with open_session(broker, "full", SHOP, {"state": dict(STATE)}) as session:
        await session.wire("app", ["till.look"], queue="nobody")
        await session.flush()
        before = await session.version()
        await broker.link.execute("CONFIG", "SET", "maxmemory", "1")
        try:
            with anyio.fail_after(10):
                answer = await serve_to_agent(session).call(*LOOK)
        finally:
            await broker.link.execute("CONFIG", "SET", "maxmemory", "0")
        assert answer["reason"] == "STORE_REFUSED"
        assert await session.version() == before
        assert await session.awaiting_settlement() == []
