"""What every test runs under: asyncio, a loop that our code never blocks, a hypothesis profile."""

import os
from collections.abc import Iterator

import pytest
from blockbuster import BlockBuster, blockbuster_ctx
from hypothesis import settings

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile("ci", max_examples=200, deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def loop_stays_free() -> Iterator[BlockBuster]:
    """Raises in code of onefate that blocks a running event loop: files, sockets, locks, sleeps."""
    with blockbuster_ctx(["onefate.broker", "onefate.port", "onefate.workers"]) as guard:
        yield guard
