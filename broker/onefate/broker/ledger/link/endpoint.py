"""Where a link dials, and as whom.

A `Resolver` is asked before every dial and at every heartbeat, so that a name that moved, a
promoted replica or a private server that has to be started again is found without a restart.
`SingleNode` is one fixed address whose name is looked up again at each dial.
"""

import socket
import ssl
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address: a host and port, or the path of a unix socket."""

    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        if self.path:
            return self.path
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Access:
    """How to enter the server: credentials, database and transport security."""

    username: str | None = None
    password: str | None = field(default=None, repr=False)
    database: int = 0
    tls: ssl.SSLContext | None = field(default=None, repr=False)

    def hello(self, client_name: str) -> list[str]:
        """Return the words of the HELLO that opens a connection."""
        words = ["HELLO", "3"]
        if self.password is not None:
            words += ["AUTH", self.username or "default", self.password]
        return [*words, "SETNAME", client_name]


class Resolver(Protocol):
    """Knows which address carries the data now."""

    @property
    def failover(self) -> bool:
        """Whether another server may take over, so that every heartbeat asks for the role."""
        ...

    @property
    def label(self) -> str:
        """Name the target for a person, without credentials."""
        ...

    async def locate(self) -> Endpoint:
        """Return the address to dial now.

        Raises:
            OSError, OnefateError: none is known now; the link asks again after a while.
        """
        ...

    async def moved(self, endpoint: Endpoint) -> bool:
        """Return whether the data has moved away from an address the link is connected to."""
        ...


@dataclass(frozen=True, slots=True)
class SingleNode:
    """One fixed address; whatever answers there is asked whether it is the master."""

    endpoint: Endpoint

    @property
    def failover(self) -> bool:
        """A name on the network may come to mean another server; a socket file may not."""
        return not self.endpoint.path

    @property
    def label(self) -> str:
        """The address itself."""
        return str(self.endpoint)

    async def locate(self) -> Endpoint:
        """Return the address; its host name is looked up by the dial that follows."""
        return self.endpoint

    async def moved(self, endpoint: Endpoint) -> bool:
        """Return False: the role asked for at each heartbeat tells."""
        return endpoint != self.endpoint


def tune(sock: socket.socket, deadline: float) -> None:
    """Make a dead peer on the network known within about the deadline, and send without delay."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    wanted = {
        "TCP_USER_TIMEOUT": max(1, int(deadline * 1000)),
        "TCP_KEEPIDLE": max(1, int(deadline)),
        "TCP_KEEPINTVL": 1,
        "TCP_KEEPCNT": max(1, int(deadline)),
    }
    known = {name: value for name, value in wanted.items() if hasattr(socket, name)}
    for name, value in known.items():
        sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
