"""A master that names its history anew while it runs; sweeps and listeners that are refused."""

from collections.abc import AsyncIterator, Iterator

import anyio
import anyio.lowlevel
import pytest

from onefate.broker import Broker, BrokerSettings, open_broker, performed
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.errors import PermissionDenied
from onefate.broker.ledger.hub import Hub
from onefate.broker.ledger.opening import open_link
from onefate.broker.ledger.store import Store
from tests.guarantees import proves
from tests.servers import embedded_server


@pytest.fixture(scope="module")
def server() -> Iterator[OwnedServer]:
    with embedded_server(tcp=True, config={"enable-debug-command": "yes"}) as started:
        yield started


@pytest.fixture
def settings(server: OwnedServer) -> BrokerSettings:
    return BrokerSettings(url=server.url, heartbeat=0.02, deadline=2.0)


@pytest.fixture
async def broker(settings: BrokerSettings) -> AsyncIterator[Broker]:
    async with open_broker(settings) as opened:
        yield opened


@proves("id:never-reused")
async def test_processes_of_before_and_after_agree_on_one_epoch(
    broker: Broker, settings: BrokerSettings
) -> None:
    before = broker.link.topology
    await broker.ledger("s").record("pay")
    await broker.link.execute("DEBUG", "CHANGE-REPL-ID")
    async with open_broker(settings) as later:
        with anyio.fail_after(10):
            while broker.link.topology == before:
                await anyio.lowlevel.checkpoint()
        ids = [
            (await each.ledger("s").record("pay")).id for _ in range(5) for each in (broker, later)
        ]
    assert ids == [f"pay#1.{n}" for n in range(1, 11)]


@proves("wait:no-lost-wakeup")
async def test_a_sweep_that_is_refused_is_not_the_last(
    server: OwnedServer, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    await broker.link.execute("ACL", "SETUSER", "few", "on", ">pw", "~*", "&*", "+@all", "-mget")
    few = BrokerSettings(url=f"redis://few:pw@127.0.0.1:{server.port}")
    link = await open_link(few)
    hub = Hub(Store(link, few), sweep=0.01)
    fire = await broker.ledger("swept").record("pay")
    try:
        hub.start()
        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                group.start_soon(hub.wait, "swept", fire.id)
                while "a sweep was not finished" not in caplog.text:
                    await anyio.lowlevel.checkpoint()
                await link.unsubscribe(broker.keys("swept").partition.wake)
                await broker.ledger("swept").settle(fire.id, performed(), by="w")
                await broker.link.execute("ACL", "SETUSER", "few", "+mget")
        assert hub.counters.healed_by_sweep == 1
    finally:
        await hub.aclose()
        await link.aclose()


@proves("wait:no-lost-wakeup")
async def test_a_listener_that_was_refused_hears_nothing_later(
    server: OwnedServer, broker: Broker
) -> None:
    await broker.link.execute("ACL", "SETUSER", "deaf", "on", ">pw", "~*", "resetchannels", "+@all")
    deaf = BrokerSettings(url=f"redis://deaf:pw@127.0.0.1:{server.port}")
    link = await open_link(deaf)
    hub = Hub(Store(link, deaf))
    refused: list[bytes] = []
    heard: list[bytes] = []
    try:
        with pytest.raises(PermissionDenied):
            await hub.listen("s", refused.append)
        await broker.link.execute("ACL", "SETUSER", "deaf", "allchannels")
        stop = await hub.listen("s", heard.append)
        await broker.link.execute("PUBLISH", broker.keys("s").partition.wake, "Es\nnews")
        with anyio.fail_after(5):
            while not heard:
                await anyio.lowlevel.checkpoint()
        stop()
    finally:
        await link.aclose()
    assert (heard, refused) == ([b"news"], [])
