"""Real servers that may be killed: one for each test, on an append-only file of its own."""

from collections.abc import AsyncIterator, Iterator

import pytest

from onefate.broker import Broker, BrokerSettings, open_broker
from onefate.broker.ledger.embedded import OwnedServer
from tests.chaos.places import quick
from tests.chaos.replicas import Pair, replicated
from tests.link.proxy import Proxy
from tests.servers import embedded_server


@pytest.fixture
def server() -> Iterator[OwnedServer]:
    with embedded_server() as running:
        yield running


@pytest.fixture
def settings(server: OwnedServer) -> BrokerSettings:
    return quick(server.url)


@pytest.fixture
async def broker(settings: BrokerSettings) -> AsyncIterator[Broker]:
    """A broker on the server itself."""
    async with open_broker(settings) as opened:
        yield opened


@pytest.fixture
async def proxy(server: OwnedServer) -> AsyncIterator[Proxy]:
    """A way to the server that breaks when it is told to."""
    async with Proxy(server.socket) as between:
        yield between


@pytest.fixture
async def far(proxy: Proxy) -> AsyncIterator[Broker]:
    """A broker behind the proxy."""
    async with open_broker(quick(proxy.url)) as opened:
        yield opened


@pytest.fixture
def servers() -> Iterator[tuple[OwnedServer, OwnedServer]]:
    with replicated() as both:
        yield both


@pytest.fixture
async def pair(servers: tuple[OwnedServer, OwnedServer]) -> AsyncIterator[Pair]:
    old, new = servers
    async with Proxy(old.socket) as proxy:
        yield Pair(old, new, proxy)
