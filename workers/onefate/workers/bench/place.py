"""Where a run happens: a server, and a namespace of its own for each part, gone afterwards."""

import secrets
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from onefate.broker.ledger.broker import Broker, open_broker
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.link import Link, Reply
from onefate.broker.ledger.settings import BrokerSettings


@dataclass(frozen=True, slots=True)
class Place:
    """One namespace of one server."""

    url: str
    namespace: str

    def settings(self) -> BrokerSettings:
        """Give the settings of a broker here."""
        return BrokerSettings(url=self.url, namespace=self.namespace)

    @asynccontextmanager
    async def broker(self) -> AsyncGenerator[Broker]:
        """Open a broker here, on a connection of its own."""
        async with open_broker(self.settings()) as broker:
            yield broker


@contextmanager
def served(url: str | None) -> Generator[str]:
    """Give the URL to measure on: the one given, else that of a server for this run alone."""
    if url is not None:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="of-") as directory:
        server = OwnedServer(Path(directory))
        server.start()
        try:
            yield server.url
        finally:
            server.stop()


@asynccontextmanager
async def place(url: str) -> AsyncGenerator[Place]:
    """Give a namespace that nobody uses, and drop its keys afterwards."""
    here = Place(url, f"b{secrets.token_hex(3)}")
    try:
        yield here
    finally:
        async with here.broker() as broker:
            await _drop(broker.link, here.namespace)


async def _drop(link: Link, namespace: str) -> None:
    cursor: Reply = b"0"
    while True:
        answer = await link.execute(
            "SCAN", cast("bytes", cursor), "MATCH", f"{namespace}:*", "COUNT", 1000
        )
        cursor, keys = cast("list[Reply]", answer)
        if found := cast("list[bytes]", keys):
            await link.execute("UNLINK", *found)
        if cursor == b"0":
            return


async def memory_used(link: Link) -> int:
    """Ask the server how much memory it uses, in bytes."""
    return await _info(link, "memory", "used_memory")


async def connections(link: Link) -> int:
    """Ask the server how many clients are connected."""
    return await _info(link, "clients", "connected_clients")


async def _info(link: Link, section: str, field: str) -> int:
    told = cast("bytes", await link.execute("INFO", section)).decode()
    lines = dict(line.split(":", 1) for line in told.splitlines() if ":" in line)
    return int(lines[field])
