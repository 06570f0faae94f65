"""Where a port listens: `unix:PATH` or `tcp:HOST:PORT`."""

from dataclasses import dataclass
from typing import TypeAlias

import anyio
from anyio.abc import Listener, SocketAttribute, SocketStream

from onefate.port.lines.errors import AddressRefused, BadAddress
from onefate.port.lines.local import dial_local, listen_local

MAX_PORT = 65_535


@dataclass(frozen=True, slots=True)
class UnixAddress:
    """A socket in the file system; only its owner may connect."""

    path: str

    def __str__(self) -> str:
        """Spell it as it is read."""
        return f"unix:{self.path}"


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """A TCP socket; port 0 lets the system choose."""

    host: str
    port: int

    def __str__(self) -> str:
        """Spell it as it is read; an IPv6 host stands in brackets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"tcp:{host}:{self.port}"


Address: TypeAlias = UnixAddress | TcpAddress


def parse_address(text: str) -> Address:
    """Read an address.

    Raises:
        BadAddress: the text is neither `unix:PATH` nor `tcp:HOST:PORT`.
    """
    kind, _, rest = text.partition(":")
    if kind == "unix" and rest:
        return UnixAddress(rest)
    host, _, port = rest.rpartition(":")
    if kind == "tcp" and host and port.isdecimal() and int(port) <= MAX_PORT:
        return TcpAddress(host.removeprefix("[").removesuffix("]"), int(port))
    raise BadAddress(text)


async def listen(address: Address) -> tuple[Listener[SocketStream], Address]:
    """Start listening; give the listener and the address clients can use.

    A socket that a dead process left behind is replaced; one that answers is never taken over.

    Raises:
        AddressRefused: another port listens there, or the system refuses the address.
    """
    try:
        if isinstance(address, TcpAddress):
            return await _listen_tcp(address)
        listener = await listen_local(address.path)
    except OSError as error:
        raise AddressRefused(str(address), error.strerror or str(error)) from error
    if listener is None:
        raise AddressRefused(str(address), "another port listens there")
    return listener, address


async def dial(address: Address) -> SocketStream:
    """Connect to a port that listens at `address`.

    Raises:
        OSError: nobody listens there.
    """
    if isinstance(address, UnixAddress):
        return await dial_local(address.path)
    return await anyio.connect_tcp(address.host, address.port)


async def _listen_tcp(address: TcpAddress) -> tuple[Listener[SocketStream], Address]:
    listener = await anyio.create_tcp_listener(local_host=address.host, local_port=address.port)
    port = listener.extra_attributes[SocketAttribute.local_port]()
    return listener, TcpAddress(address.host, port)
