"""A port over newline-delimited JSON: the server, the client, and where they meet."""

from onefate.port.lines.address import (
    Address,
    TcpAddress,
    UnixAddress,
    dial,
    listen,
    parse_address,
)
from onefate.port.lines.client import LinesClient, connect
from onefate.port.lines.server import serve_listener, serve_stream

__all__ = [
    "Address",
    "LinesClient",
    "TcpAddress",
    "UnixAddress",
    "connect",
    "dial",
    "listen",
    "parse_address",
    "serve_listener",
    "serve_stream",
]
