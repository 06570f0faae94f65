"""The link suite: a server, a proxy before it, links that notice within tenths of a second."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.link.endpoint import Endpoint, SingleNode
from onefate.broker.ledger.link.policy import LinkPolicy
from onefate.broker.ledger.link.redis_link import RedisLink
from tests.link.proxy import Proxy
from tests.servers import ENGINES, Engine, embedded_server, flush

QUICK = LinkPolicy(heartbeat=0.05, deadline=0.4, patience=5.0)


@pytest.fixture(scope="session", params=ENGINES)
def running(request: pytest.FixtureRequest) -> Iterator[OwnedServer]:
    engine: Engine = request.param
    with embedded_server(engine) as started:
        yield started


@pytest.fixture
def server(running: OwnedServer) -> OwnedServer:
    flush(running)
    return running


@pytest.fixture
def spare() -> Iterator[OwnedServer]:
    """A server to kill, freeze or turn."""
    with embedded_server(tcp=True) as started:
        yield started


@pytest.fixture
async def proxy(server: OwnedServer) -> AsyncIterator[Proxy]:
    async with Proxy(server.socket) as between:
        yield between


@asynccontextmanager
async def opened(endpoint: Endpoint, policy: LinkPolicy = QUICK) -> AsyncGenerator[RedisLink]:
    link = await RedisLink.open(SingleNode(endpoint), policy=policy)
    try:
        yield link
    finally:
        await link.aclose()


@pytest.fixture
async def link(proxy: Proxy) -> AsyncIterator[RedisLink]:
    async with opened(proxy.endpoint) as up:
        yield up
