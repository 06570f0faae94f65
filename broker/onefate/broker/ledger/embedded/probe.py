"""One question to a server, on a connection of its own, without an event loop."""

import socket
from enum import StrEnum
from pathlib import Path

Address = Path | tuple[str, int]
"""A unix socket, or a host and port."""


class Condition(StrEnum):
    """How a server answered."""

    READY = "ready"
    LOADING = "loading"
    SILENT = "silent"
    ABSENT = "absent"


def probe(address: Address, timeout: float = 1.0) -> Condition:
    """Say how the server at an address is, within the timeout."""
    try:
        answer = ask(address, b"PING\r\n", timeout)
    except TimeoutError:
        return Condition.SILENT
    except OSError:
        return Condition.ABSENT
    if answer.startswith(b"-LOADING"):
        return Condition.LOADING
    return Condition.READY if answer.startswith((b"+PONG", b"-NOAUTH")) else Condition.ABSENT


def ask(address: Address, command: bytes, timeout: float = 1.0) -> bytes:
    """Send one inline command and return the first piece of the answer; empty at the end.

    Raises:
        OSError: nothing listens there, or it did not answer in time (TimeoutError).
    """
    family = socket.AF_UNIX if isinstance(address, Path) else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as link:
        link.settimeout(timeout)
        link.connect(str(address) if isinstance(address, Path) else address)
        link.sendall(command)
        return link.recv(4096)
