"""What a URL names: a server, an embedded server, or a store in memory.

`parse_target` reads every form a URL may have and refuses everything else with one sentence
(`BadSetting`), so that no typing error is silently another target. The sentence quotes nothing of
the URL: where it cannot be read, any part of it may be part of a password.
"""

import re
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from redis.asyncio.connection import parse_url

from onefate.broker.ledger.errors import BadSetting
from onefate.broker.ledger.link.endpoint import Endpoint

EMBEDDED = "embedded:"
_FORMS = (
    "redis://host:port/db, rediss://host:port/db, unix:///path/to.sock, memory://name or embedded:"
)
_OPTIONS = frozenset(
    {
        "db",
        "ssl_ca_certs",
        "ssl_ca_path",
        "ssl_cert_reqs",
        "ssl_certfile",
        "ssl_check_hostname",
        "ssl_keyfile",
        "ssl_password",
    }
)


@dataclass(frozen=True, slots=True)
class TlsOptions:
    """The redis-style `ssl_*` options of a `rediss://` URL."""

    ca_certs: str | None = None
    ca_path: str | None = None
    certfile: str | None = None
    keyfile: str | None = None
    password: str | None = field(default=None, repr=False)
    cert_reqs: str = "required"
    check_hostname: bool = True

    def context(self) -> ssl.SSLContext:
        """Return the context; it reads files, so it is made off the event loop.

        Raises:
            BadSetting: a certificate or key cannot be read.
        """
        try:
            made = ssl.create_default_context(cafile=self.ca_certs, capath=self.ca_path)
            if self.certfile:
                made.load_cert_chain(self.certfile, self.keyfile, self.password)
        except OSError as cause:
            files = ", ".join(filter(None, (self.ca_certs, self.ca_path, self.certfile)))
            raise BadSetting(
                "url", f"names certificates or keys that cannot be used ({files}): {cause}"
            ) from cause
        made.check_hostname = self.check_hostname and self.cert_reqs != "none"
        made.verify_mode = {
            "none": ssl.CERT_NONE,
            "optional": ssl.CERT_OPTIONAL,
            "required": ssl.CERT_REQUIRED,
        }[self.cert_reqs]
        return made


@dataclass(frozen=True, slots=True)
class ServerTarget:
    """One server on the network or behind a unix socket."""

    endpoint: Endpoint
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    database: int = 0
    tls: TlsOptions | None = None


@dataclass(frozen=True, slots=True)
class EmbeddedTarget:
    """The private server of a state directory; None leaves the directory to the settings."""

    state_dir: Path | None = None


@dataclass(frozen=True, slots=True)
class MemoryTarget:
    """A store inside this process, shared by everyone who names it the same."""

    name: str


Target: TypeAlias = ServerTarget | EmbeddedTarget | MemoryTarget


def parse_target(url: str) -> Target:
    """Return what the URL names.

    Raises:
        BadSetting: the URL has no known form, or a part of it means nothing.
    """
    scheme, _, rest = url.partition(":")
    match scheme:
        case "embedded":
            return EmbeddedTarget(Path(unquote(rest)) if rest else None)
        case "memory":
            return _memory(rest)
        case "redis" | "rediss" | "unix" if rest.startswith("//"):
            return _server(url, scheme)
        case _:
            raise BadSetting("url", f"has none of the forms {_FORMS}")


def _memory(rest: str) -> MemoryTarget:
    name = rest.removeprefix("//")
    if not rest.startswith("//") or not re.fullmatch(r"[A-Za-z0-9._-]{0,64}", name):
        raise BadSetting("url", "must name a memory store as memory:// and letters, digits or ._-")
    return MemoryTarget(name)


def _server(url: str, scheme: str) -> ServerTarget:
    try:
        parts = urlsplit(url)
        options: dict[str, object] = {**parse_url(url)}
        port = parts.port
    except ValueError:
        raise BadSetting(
            "url", f"cannot be read; write {_FORMS}, with %XX for what is special in a password"
        ) from None
    plain = {"username", "password", "host", "port", "path", "connection_class"}
    unknown = sorted(options.keys() - _OPTIONS - plain)
    if unknown:
        known = ", ".join(sorted(_OPTIONS))
        raise BadSetting("url", f"has the unknown option {unknown[0]!r}; known are {known}")
    tls = _tls(options) if scheme == "rediss" else None
    if scheme != "rediss" and any(name.startswith("ssl_") for name in options):
        raise BadSetting("url", "has TLS options but does not begin with rediss://")
    if scheme == "unix":
        endpoint = Endpoint(path=_text(options, "path") or "")
        if not endpoint.path or parts.hostname:
            raise BadSetting("url", "must name the socket by an absolute path: unix:///path")
    else:
        endpoint = Endpoint(host=parts.hostname or "localhost", port=6379 if port is None else port)
    return ServerTarget(
        endpoint=endpoint,
        username=_text(options, "username"),
        password=_text(options, "password"),
        database=_database(options, "" if scheme == "unix" else parts.path.strip("/")),
        tls=tls,
    )


def _database(options: dict[str, object], path: str) -> int:
    database = options.get("db", 0)
    if path and not path.isdecimal():
        raise BadSetting("url", "must end in a database number, or in nothing, after the port")
    if not isinstance(database, int) or database < 0:
        raise BadSetting("url", "must have a database number of 0 or more")
    return database


def _tls(options: dict[str, object]) -> TlsOptions:
    requires = _text(options, "ssl_cert_reqs") or "required"
    if requires not in {"required", "optional", "none"}:
        raise BadSetting("url", "must have ssl_cert_reqs=required, optional or none")
    return TlsOptions(
        ca_certs=_text(options, "ssl_ca_certs"),
        ca_path=_text(options, "ssl_ca_path"),
        certfile=_text(options, "ssl_certfile"),
        keyfile=_text(options, "ssl_keyfile"),
        password=_text(options, "ssl_password"),
        cert_reqs=requires,
        check_hostname=options.get("ssl_check_hostname", True) is not False,
    )


def _text(options: dict[str, object], name: str) -> str | None:
    value = options.get(name)
    return value if isinstance(value, str) else None
