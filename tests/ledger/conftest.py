"""The ledger suite: every test on every store, and nothing undeclared left after any."""

from collections.abc import AsyncIterator, Iterator

import anyio
import pytest

from onefate.broker import Broker, BrokerSettings, Durability, open_broker
from onefate.broker.ledger.opening import open_link
from tests.ledger.leaks import leaks
from tests.ledger.servers import BACKENDS, Backend, server


@pytest.fixture(scope="session", params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Backend:
    chosen: Backend = request.param
    return chosen


@pytest.fixture(scope="session")
def url(backend: Backend) -> Iterator[str]:
    with server(backend) as found:
        if found is None:
            pytest.skip(f"no {backend} server here")
        yield found


@pytest.fixture
def settings(url: str) -> BrokerSettings:
    return BrokerSettings(url=url, durability=Durability.MEMORY)


@pytest.fixture
async def broker(settings: BrokerSettings) -> AsyncIterator[Broker]:
    link = await open_link(settings)
    try:
        await link.execute("FLUSHALL")
        async with open_broker(settings) as opened:
            yield opened
        with anyio.fail_after(90):
            assert await leaks(link) == []
    finally:
        await link.aclose()
