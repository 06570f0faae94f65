"""One private server for the tests of workers, and a namespace of its own for each test."""

from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest

from onefate.broker.ledger.broker import Broker, open_broker
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.settings import BrokerSettings

_numbers = count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnedServer]:
    owned = OwnedServer(tmp_path_factory.mktemp("server"))
    owned.start()
    yield owned
    owned.stop()


@pytest.fixture
def settings(server: OwnedServer, tmp_path: Path) -> BrokerSettings:
    return BrokerSettings(url=server.url, namespace=f"w{next(_numbers)}", state_dir=tmp_path)


@pytest.fixture
async def broker(settings: BrokerSettings) -> AsyncIterator[Broker]:
    async with open_broker(settings) as opened:
        yield opened
