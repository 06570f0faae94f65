"""Passwords, rights and TLS: what a server may ask for, and how it is told when it is wrong."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import which

import anyio
import pytest

from onefate.broker.errors import OnefateError
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.embedded.owned import free_port
from onefate.broker.ledger.errors import (
    BadSetting,
    EmbeddedRefused,
    NotSent,
    PasswordRequired,
    PermissionDenied,
    ServerFull,
    TlsRefused,
    TooManyClients,
    WrongPassword,
)
from onefate.broker.ledger.link import Link
from onefate.broker.ledger.link.redis_link import RedisLink
from onefate.broker.ledger.opening import open_link
from onefate.broker.ledger.settings import BrokerSettings
from tests.guarantees import proves
from tests.servers import embedded_server

pytestmark = proves("store:honest")

GUARDED = {"requirepass": "secret"}


@pytest.fixture(scope="module")
def guarded() -> Iterator[OwnedServer]:
    with embedded_server(tcp=True, config=GUARDED) as server:
        yield server


async def enter(url: str, patience: float = 5.0) -> Link:
    with anyio.fail_after(10):
        return await open_link(BrokerSettings(url=url, patience=patience))


async def used(url: str, *command: str) -> object:
    link = await enter(url)
    try:
        return await link.execute(*command)
    finally:
        await link.aclose()


async def test_a_password_opens_over_tcp_and_the_socket(guarded: OwnedServer) -> None:
    for place in (
        f"redis://:secret@127.0.0.1:{guarded.port}/3",
        f"unix://:secret@{guarded.socket}",
    ):
        assert await used(place, "PING") == b"PONG"
    named = f"redis://default:secret@127.0.0.1:{guarded.port}"
    assert await used(named, "CLIENT", "GETNAME") == b"onefate"


@pytest.mark.parametrize(
    ("credentials", "kind"),
    [("", PasswordRequired), (":wrong@", WrongPassword), ("nobody:secret@", WrongPassword)],
)
async def test_wrong_credentials_are_told_at_once(
    guarded: OwnedServer, credentials: str, kind: type[OnefateError]
) -> None:
    with pytest.raises(kind):
        await enter(f"redis://{credentials}127.0.0.1:{guarded.port}", patience=60)


async def test_a_user_of_few_rights_is_told_which_call_was_forbidden(guarded: OwnedServer) -> None:
    admin = await enter(f"redis://:secret@127.0.0.1:{guarded.port}")
    try:
        await admin.execute(
            "ACL", "SETUSER", "few", "on", ">pw", "resetchannels", "~mine:*", "+@all", "-role",
            "-info",
        )  # fmt: skip
        link = await enter(f"redis://few:pw@127.0.0.1:{guarded.port}")
        assert isinstance(link, RedisLink)
        try:
            assert link.topology == ""
            assert await link.execute("SET", "mine:k", "v") == b"OK"
            with pytest.raises(PermissionDenied) as told:
                await link.execute("SET", "other", "v")
            assert told.value.command == "SET"
            with pytest.raises(PermissionDenied):
                await link.subscribe("channel")
            with pytest.raises(PermissionDenied):
                await link.subscribe("channel")
            assert link.counters.losses == 0
        finally:
            await link.aclose()
    finally:
        await admin.aclose()


async def test_a_full_server_is_named(guarded: OwnedServer) -> None:
    link = await enter(f"redis://:secret@127.0.0.1:{guarded.port}")
    try:
        await link.execute("CONFIG", "SET", "maxmemory", 1)
        with pytest.raises(ServerFull):
            await link.execute("SET", "k", "v")
    finally:
        await link.execute("CONFIG", "SET", "maxmemory", 0)
        await link.aclose()


async def test_a_server_without_room_for_clients_is_named_after_the_patience(
    guarded: OwnedServer,
) -> None:
    url = f"redis://:secret@127.0.0.1:{guarded.port}"
    link = await enter(url)
    try:
        await link.execute("CONFIG", "SET", "maxclients", 1)
        with pytest.raises(NotSent) as told:
            await enter(url, patience=0.3)
        assert told.value.cause == TooManyClients.sentence.rstrip(".")
    finally:
        await link.execute("CONFIG", "SET", "maxclients", 1000)
        await link.aclose()


@dataclass(frozen=True)
class Papers:
    authority: Path
    certificate: Path
    key: Path


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    """A throwaway authority, and a certificate of it for 127.0.0.1."""
    openssl = which("openssl")
    if openssl is None:
        pytest.skip("no openssl here")
    folder = tmp_path_factory.mktemp("tls")
    made = Papers(folder / "ca.pem", folder / "server.pem", folder / "server.key")
    request, ca_key, names = folder / "server.csr", folder / "ca.key", folder / "names"
    names.write_text(
        "subjectAltName=IP:127.0.0.1\n"
        "authorityKeyIdentifier=keyid\n"
        "keyUsage=critical,digitalSignature,keyEncipherment\n",
        "utf-8",
    )
    new_key = ["-newkey", "rsa:2048", "-nodes", "-subj"]
    commands: list[list[str | Path]] = [
        ["req", "-x509", *new_key, "/CN=onefate test", "-keyout", ca_key, "-out", made.authority,
         "-addext", "keyUsage=critical,keyCertSign,cRLSign"],
        ["req", *new_key, "/CN=127.0.0.1", "-keyout", made.key, "-out", request],
        ["x509", "-req", "-in", request, "-CA", made.authority, "-CAkey", ca_key,
         "-CAcreateserial", "-days", "2", "-extfile", names, "-out", made.certificate],
    ]  # fmt: skip
    for words in commands:
        subprocess.run([openssl, *words], check=True, capture_output=True)
    return made


@pytest.fixture(scope="module")
def secure(papers: Papers) -> Iterator[int]:
    """The TLS port of a server; skips where no engine here speaks TLS."""
    port = free_port()
    config = {
        "tls-port": str(port),
        "tls-cert-file": str(papers.certificate),
        "tls-key-file": str(papers.key),
        "tls-ca-cert-file": str(papers.authority),
        "tls-auth-clients": "optional",
    }
    with ExitStack() as stack:
        try:
            stack.enter_context(embedded_server("redis", config=config))
        except EmbeddedRefused as cause:
            pytest.skip(f"the engine speaks no TLS: {cause}")
        yield port


@pytest.mark.parametrize(
    "options",
    [
        "ssl_ca_certs={authority}",
        "ssl_ca_certs={authority}&ssl_certfile={certificate}&ssl_keyfile={key}",
        "ssl_cert_reqs=none",
    ],
)
async def test_tls_opens_with_its_options(secure: int, papers: Papers, options: str) -> None:
    given = options.format(**asdict(papers))
    assert await used(f"rediss://127.0.0.1:{secure}?{given}", "PING") == b"PONG"


async def test_tls_survives_a_large_value(secure: int, papers: Papers) -> None:
    link = await enter(f"rediss://127.0.0.1:{secure}?ssl_ca_certs={papers.authority}")
    try:
        with anyio.fail_after(10):
            await link.execute("SET", "k", b"x" * 3_000_000)
            assert await link.execute("STRLEN", "k") == 3_000_000
    finally:
        await link.aclose()


async def test_a_certificate_of_an_unknown_authority_is_told_at_once(secure: int) -> None:
    with pytest.raises(TlsRefused) as told:
        await enter(f"rediss://127.0.0.1:{secure}", patience=60)
    assert "self-signed" in told.value.problem


async def test_a_name_the_certificate_does_not_carry_is_told_at_once(
    secure: int, papers: Papers
) -> None:
    options = f"ssl_ca_certs={papers.authority}"
    with pytest.raises(TlsRefused):
        await enter(f"rediss://localhost:{secure}?{options}", patience=60)
    unchecked = f"rediss://localhost:{secure}?{options}&ssl_check_hostname=false"
    assert await used(unchecked, "PING") == b"PONG"


async def test_a_port_without_tls_never_answers_a_handshake(guarded: OwnedServer) -> None:
    with pytest.raises(NotSent) as told:
        await enter(f"rediss://127.0.0.1:{guarded.port}", patience=0.3)
    assert told.value.cause == "no answer yet"


async def test_a_tls_port_without_tls_in_the_url_is_told_after_the_patience(secure: int) -> None:
    with pytest.raises(NotSent):
        await enter(f"redis://127.0.0.1:{secure}", patience=0.3)


async def test_papers_that_cannot_be_read_are_a_wrong_setting(papers: Papers) -> None:
    for options in ("ssl_ca_certs=/nowhere", f"ssl_certfile={papers.authority}&ssl_keyfile=/no"):
        with pytest.raises(BadSetting) as told:
            await enter(f"rediss://127.0.0.1:1?{options}")
        assert "cannot be used" in str(told.value)


async def test_a_host_nobody_knows_is_named(guarded: OwnedServer) -> None:
    del guarded
    with pytest.raises(NotSent) as told:
        await enter("redis://onefate.invalid:1", patience=0.5)
    assert "onefate.invalid:1" in str(told.value)
