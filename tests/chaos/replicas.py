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
        written = _told(self.old, "replication", "master_repl_offset")
        while int(_told(self.new, "replication", "slave_repl_offset")) < int(written):
            continue
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
            while not _follows(new):
                continue
            yield old, new


def _follows(replica: OwnedServer) -> bool:
    """Whether it has its first copy, and its log of it: it would not end before that."""
    connected = b"$9\r\nconnected\r\n" in ask(replica.socket, b"ROLE\r\n")
    return connected and _told(replica, "persistence", "aof_rewrite_in_progress") == "0"


def _told(server: OwnedServer, section: str, name: str) -> str:
    """One fact of a server's INFO."""
    lines = ask(server.socket, f"INFO {section}\r\n".encode()).decode().splitlines()
    (value,) = [line.partition(":")[2] for line in lines if line.startswith(f"{name}:")]
    return value
