"""A server and its replica, which takes over by hand and then lacks what was acknowledged since."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import anyio.to_thread

from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.embedded.probe import ask
from tests.link.proxy import Proxy
from tests.servers import embedded_server


@dataclass(slots=True)
class Pair:
    """A server and its replica, and the way by which clients reach whichever leads."""

    old: OwnedServer
    new: OwnedServer
    proxy: Proxy

    async def promote(self) -> None:
        """Let the replica lead; what the old server acknowledges from now on is lost."""
        await anyio.to_thread.run_sync(self._promote)

    def _promote(self) -> None:
        assert ask(self.old.socket, b"WAIT 1 5000\r\n") == b":1\r\n"
        assert ask(self.new.socket, b"REPLICAOF NO ONE\r\n") == b"+OK\r\n"

    async def move(self) -> None:
        """End the old server and lead every client to the new one."""
        self.proxy.lead_to(self.new.socket)
        await anyio.to_thread.run_sync(self.old.kill)
        self.proxy.cut()


@contextmanager
def replicated() -> Generator[tuple[OwnedServer, OwnedServer]]:
    """A server, and one that follows it and has everything it has."""
    at_once = {"repl-diskless-sync-delay": "0"}
    with embedded_server(tcp=True, config=at_once) as old:
        follows = {"replicaof": f"127.0.0.1 {old.port}"}
        with embedded_server(tcp=True, config={**at_once, **follows}) as new:
            while b"$9\r\nconnected\r\n" not in ask(new.socket, b"ROLE\r\n"):
                continue
            yield old, new
