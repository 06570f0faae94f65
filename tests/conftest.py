"""What every test runs under: asyncio, a loop that our code never blocks, a hypothesis profile."""

import os
from collections.abc import Iterator
from importlib.util import find_spec, module_from_spec
from types import ModuleType

import pytest
from blockbuster import BlockBuster, blockbuster_ctx
from hypothesis import settings

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile("ci", max_examples=200, deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


def packages() -> list[ModuleType]:
    """The three packages as places only: a test loads no more of them than it uses."""
    specs = map(find_spec, ("onefate.broker", "onefate.port", "onefate.workers"))
    return [module_from_spec(spec) for spec in specs if spec is not None]


@pytest.fixture(scope="session", autouse=True)
def loop_stays_free() -> Iterator[BlockBuster]:
    """Raises in code of onefate that blocks a running event loop: files, sockets, locks, sleeps."""
    with blockbuster_ctx(packages()) as guard:
        yield guard
