from collections.abc import Iterator

import pytest

from tests.servers import embedded_server, flush


@pytest.fixture(scope="package")
def shared_url() -> Iterator[str]:
    with embedded_server() as server:
        yield server.url


@pytest.fixture
def url() -> Iterator[str]:
    with embedded_server() as server:
        yield server.url
        flush(server)
