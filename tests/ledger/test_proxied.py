from pathlib import Path

import anyio

from onefate.broker import Broker, BrokerSettings, Durability, open_broker, performed
from tests.guarantees import proves
from tests.ledger.servers import Backend, needs
from tests.link.proxy import Proxy

pytestmark = proves("settle:lost-reply")


async def test_a_settler_whose_reply_a_proxy_dropped_is_told_that_it_won(
    broker: Broker, backend: Backend, url: str
) -> None:
    needs(backend, "connections")
    fire = await broker.ledger("s").record("pay")
    async with Proxy(Path(url.removeprefix("unix://"))) as proxy:
        settings = BrokerSettings(url=proxy.url, durability=Durability.MEMORY)
        async with open_broker(settings) as far:
            await far.ledger("s").settlement_if_known(fire.id)
            warm = await far.ledger("s").record("warm")
            await far.ledger("s").settle(warm.id, performed(), by="w")
            proxy.lose_reply(b"EVALSHA")
            with anyio.fail_after(10):
                told = await far.ledger("s").settle(fire.id, performed(7), by="w")
        assert proxy.lost_replies == 1
    assert told.won
    late = await broker.ledger("s").settle(fire.id, performed(8), by="late")
    assert not late.won
    assert late.settlement == told.settlement


@proves("wait:no-lost-wakeup", "wait:never-fails")
async def test_a_waiter_behind_a_proxy_that_cuts_is_woken(
    broker: Broker, backend: Backend, url: str
) -> None:
    needs(backend, "connections")
    fire = await broker.ledger("s").record("pay")
    async with Proxy(Path(url.removeprefix("unix://"))) as proxy:
        settings = BrokerSettings(url=proxy.url, durability=Durability.MEMORY)
        async with open_broker(settings) as far:
            with anyio.fail_after(10):
                async with anyio.create_task_group() as group:
                    group.start_soon(far.ledger("s").when_settled, fire.id)
                    while not far.hub.open:
                        await anyio.lowlevel.checkpoint()
                    await far.ledger("s").settlement_if_known(fire.id)
                    proxy.close_door()
                    proxy.cut()
                    await broker.ledger("s").settle(fire.id, performed(), by="w")
                    await proxy.open_door()
            assert far.counters()["healed_by_resync"] + far.counters()["healed_by_read"] == 1
