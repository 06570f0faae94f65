"""From an address to a wire that may be used.

`enter` dials, speaks HELLO 3 with credentials and a client name, selects the database, and makes
sure that a loaded master answers. It returns within the policy's deadline or raises; a connection
it does not return is closed.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass

import hiredis

from onefate.broker.ledger.errors import (
    OutcomeUnknown,
    ReadOnlyReplica,
    ServerTooOld,
    TlsRefused,
    refused,
)
from onefate.broker.ledger.link.endpoint import Access, Endpoint, tune
from onefate.broker.ledger.link.policy import LinkPolicy
from onefate.broker.ledger.link.protocol import LinkCounters, Reply
from onefate.broker.ledger.link.resp import RawReply
from onefate.broker.ledger.link.wire import Wire

_REASONS: dict[type[OSError], str] = {
    ConnectionRefusedError: "connection refused",
    FileNotFoundError: "there is no such socket",
    PermissionError: "no permission to open the socket",
    socket.gaierror: "the host name is not known",
}


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """What the server said of itself when the connection was entered.

    `replication_id` names the history it serves, or is empty where the user may not ask.
    """

    engine: str = ""
    version: str = ""
    mode: str = ""
    replication_id: str = ""


class Entrance:
    """Opens wires to one target; holds what every dial needs and nothing that changes."""

    def __init__(
        self,
        access: Access,
        policy: LinkPolicy,
        counters: LinkCounters,
        on_message: Callable[[bytes, bytes], None],
    ) -> None:
        self._access = access
        self._policy = policy
        self._counters = counters
        self._on_message = on_message

    async def enter(self, endpoint: Endpoint) -> tuple[Wire, ServerFacts]:
        """Return a wire to a loaded master, and what the server said of itself.

        Raises:
            OSError, TimeoutError: nothing usable answered.
            TlsRefused, ServerRefused, OutcomeUnknown: it answered, and this did not lead in.
        """
        wire = Wire(str(endpoint), self._policy, self._counters, self._on_message)
        try:
            async with asyncio.timeout(self._policy.deadline):
                await self._dial(endpoint, wire)
                return wire, await self._greet(wire)
        except BaseException:
            wire.lose("it was not entered")
            raise

    async def _dial(self, endpoint: Endpoint, wire: Wire) -> None:
        loop = asyncio.get_running_loop()
        if endpoint.path:
            await loop.create_unix_connection(lambda: wire, endpoint.path)
            return
        tls = self._access.tls
        try:
            transport, _ = await loop.create_connection(
                lambda: wire,
                endpoint.host,
                endpoint.port,
                ssl=tls,
                server_hostname=endpoint.host if tls else None,
            )
        except ssl.SSLCertVerificationError as cause:
            raise TlsRefused(str(endpoint), cause.verify_message) from cause
        except ssl.SSLError as cause:
            raise TlsRefused(str(endpoint), cause.reason or "handshake failed") from cause
        sock: socket.socket = transport.get_extra_info("socket")
        tune(sock, self._policy.deadline)

    async def _greet(self, wire: Wire) -> ServerFacts:
        hello = _accept(await wire.send(self._access.hello(self._policy.client_name)), "HELLO")
        if not isinstance(hello, dict):
            raise ServerTooOld("NOPROTO")
        select = self._access.database
        asked = [wire.send(["SELECT", select])] if select else []
        asked.append(wire.send(["PING"]))
        info = wire.send(["INFO", "replication"])
        for each in asked:
            _accept(await each, "SELECT" if select else "PING")
        if hello.get(b"role") != b"master":
            raise ReadOnlyReplica("READONLY")
        return ServerFacts(
            engine=_word(hello, b"server"),
            version=_word(hello, b"version"),
            mode=_word(hello, b"mode"),
            replication_id=replication(await info)[1],
        )


def _accept(reply: RawReply, command: str) -> Reply:
    if isinstance(reply, hiredis.ReplyError):
        raise refused(str(reply), command)
    return reply


def _word(hello: dict[Reply, Reply], key: bytes) -> str:
    value = hello.get(key)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def replication(reply: RawReply) -> tuple[str, str]:
    """Give the role and the replication id that a reply tells; empty where it does not.

    The reply is that to `INFO replication` or to `ROLE`.
    """
    if isinstance(reply, list) and reply and isinstance(reply[0], bytes):
        return reply[0].decode("ascii", "replace"), ""
    lines = reply.decode("ascii", "replace").splitlines() if isinstance(reply, bytes) else []
    told = dict(line.split(":", 1) for line in lines if ":" in line)
    return told.get("role", ""), told.get("master_replid", "")


def reason(cause: BaseException, policy: LinkPolicy) -> str:
    """Say in a few words why there is no link."""
    if isinstance(cause, OutcomeUnknown):
        return cause.cause
    if isinstance(cause, TimeoutError):
        return f"no answer within {policy.deadline:g} s"
    known = (words for kind, words in _REASONS.items() if isinstance(cause, kind))
    return next(known, str(cause).rstrip(".") or type(cause).__name__)
