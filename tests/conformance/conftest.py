"""Compiles a map before any event loop runs: the first one imports, and an import reads files."""

import pytest

from onefate.broker.journey import compile_map


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> None:
    compile_map("first", {"pages": {"page": {}}})
