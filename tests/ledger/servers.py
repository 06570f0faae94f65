"""The stores the ledger suite runs on, and what one of them cannot show."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

import pytest
from fakeredis import FakeRedisConnection, FakeServer

from onefate.broker.ledger.embedded.binary import wheel_binary

Backend = Literal["valkey", "redis", "memory"]

BACKENDS: Final[tuple[Backend, ...]] = ("valkey", "redis", "memory")

EXCLUDED: Final[dict[Backend, dict[str, str]]] = {
    "memory": {
        "memory": "the fake has no MEMORY USAGE",
        "connections": "a store inside the process has no connection to lose or to count",
        "processes": "a store inside the process is shared with no other",
        "checks": "the fake has no INFO, CONFIG and ROLE",
    },
    "valkey": {},
    "redis": {},
}
"""Per store, what it cannot show and why."""


def needs(backend: Backend, what: str) -> None:
    """Skips the test on a store that cannot show it."""
    if what in EXCLUDED[backend]:
        pytest.skip(f"{backend}: {EXCLUDED[backend][what]}")


def _binary(backend: Backend) -> Path | None:
    if backend == "valkey":
        found = wheel_binary()
        return None if found is None else found.path
    found_on_path = shutil.which("redis-server")
    return None if found_on_path is None else Path(found_on_path)


@contextmanager
def server(backend: Backend, *options: str) -> Generator[str | None]:
    """The URL of a store of its own, None where its binary is not here."""
    if backend == "memory":
        # The first fake of a process reads files, which must not happen on a running loop.
        FakeRedisConnection(server=FakeServer(version=(7, 0)), protocol=3)
        yield "memory://ledger-suite"
        return
    binary = _binary(backend)
    if binary is None:
        yield None
        return
    with (
        tempfile.TemporaryDirectory(prefix="of") as directory,
        running(binary, Path(directory), *options) as url,
    ):
        yield url


@contextmanager
def running(binary: Path, directory: Path, *options: str) -> Generator[str]:
    """One server on a unix socket in the directory, ended by its own process handle."""
    socket = directory / "s"
    words = [
        str(binary), "--port", "0", "--unixsocket", str(socket), "--save", "",
        "--dir", str(directory), "--maxmemory-policy", "noeviction", *options,
    ]  # fmt: skip
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + 10
            while not socket.exists():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{binary.name} did not start")
            yield f"unix://{socket}"
        finally:
            process.terminate()
            process.wait(10)


def server_binary() -> Path | None:
    """Any server binary that is here."""
    return _binary("redis") or _binary("valkey")
