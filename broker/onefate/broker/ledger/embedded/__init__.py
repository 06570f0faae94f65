"""The private server: found, started, shared, stopped."""

from onefate.broker.ledger.embedded.binary import Binary, find_binary
from onefate.broker.ledger.embedded.launcher import ensure_server, stop
from onefate.broker.ledger.embedded.node import EmbeddedNode
from onefate.broker.ledger.embedded.owned import OwnedServer

__all__ = ["Binary", "EmbeddedNode", "OwnedServer", "ensure_server", "find_binary", "stop"]
