from collections.abc import AsyncIterator, Iterator

import pytest

from onefate.broker import Broker, open_broker
from onefate.broker.ledger.embedded import OwnedServer
from tests.servers import embedded_server


@pytest.fixture(scope="package")
def shared_url() -> Iterator[str]:
    with embedded_server() as server:
        yield server.url


@pytest.fixture
def server() -> Iterator[OwnedServer]:
    with embedded_server() as started:
        yield started


@pytest.fixture
def url(server: OwnedServer) -> str:
    return server.url


@pytest.fixture
async def broker(server: OwnedServer) -> AsyncIterator[Broker]:
    async with open_broker(server.url) as opened:
        yield opened
