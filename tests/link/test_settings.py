"""Every form of a URL, every setting, and one sentence for each that means nothing."""

import pickle
import traceback
from pathlib import Path

import pytest

from onefate.broker.errors import BadInput, OnefateError
from onefate.broker.ledger import errors
from onefate.broker.ledger.errors import BadSetting, ServerRefused, refused
from onefate.broker.ledger.link.endpoint import Endpoint
from onefate.broker.ledger.link.target import (
    EmbeddedTarget,
    MemoryTarget,
    ServerTarget,
    Target,
    TlsOptions,
    parse_target,
)
from onefate.broker.ledger.settings import BrokerSettings, Durability
from tests.guarantees import proves

pytestmark = proves("store:honest")


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("redis://", ServerTarget(Endpoint("localhost", 6379))),
        ("redis://h", ServerTarget(Endpoint("h", 6379))),
        ("redis://h:1", ServerTarget(Endpoint("h", 1))),
        ("redis://h:1/2", ServerTarget(Endpoint("h", 1), database=2)),
        ("redis://h:1?db=3", ServerTarget(Endpoint("h", 1), database=3)),
        ("redis://[::1]:7", ServerTarget(Endpoint("::1", 7))),
        ("redis://:p%40ss@h", ServerTarget(Endpoint("h", 6379), password="p@ss")),
        ("redis://u:p@h", ServerTarget(Endpoint("h", 6379), "u", "p")),
        ("rediss://h:1", ServerTarget(Endpoint("h", 1), tls=TlsOptions())),
        (
            "rediss://h:1?ssl_ca_certs=/ca&ssl_check_hostname=no&ssl_cert_reqs=none",
            ServerTarget(
                Endpoint("h", 1),
                tls=TlsOptions(ca_certs="/ca", check_hostname=False, cert_reqs="none"),
            ),
        ),
        ("unix:///tmp/s", ServerTarget(Endpoint(path="/tmp/s"))),  # noqa: S108
        ("unix://u:p@/s?db=4", ServerTarget(Endpoint(path="/s"), "u", "p", 4)),
        ("memory://", MemoryTarget("")),
        ("memory://a-b.c", MemoryTarget("a-b.c")),
        ("embedded:", EmbeddedTarget()),
        ("embedded:/var/lib/of", EmbeddedTarget(Path("/var/lib/of"))),
    ],
)
def test_each_form_of_a_url_names_its_target(url: str, target: Target) -> None:
    assert parse_target(url) == target


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "has none of the forms"),
        ("localhost:6379", "has none of the forms"),
        ("http://h", "has none of the forms"),
        ("redis:h", "has none of the forms"),
        ("redis://h:port", "cannot be read"),
        ("redis://h:99999", "cannot be read"),
        ("redis://h/name", "must end in a database number"),
        ("redis://h?db=-1", "database number of 0 or more"),
        ("redis://h?db=x", "cannot be read"),
        ("redis://h?socket_timeout=5", "unknown option 'socket_timeout'"),
        ("redis://h?ssl_ca_certs=/ca", "does not begin with rediss://"),
        ("rediss://h?ssl_cert_reqs=maybe", "ssl_cert_reqs=required, optional or none"),
        ("unix://", "absolute path"),
        ("unix://h/s", "absolute path"),
        ("memory:x", "must name a memory store"),
        ("memory://a/b", "must name a memory store"),
    ],
)
def test_a_url_that_means_nothing_is_one_sentence(url: str, words: str) -> None:
    with pytest.raises(BadSetting) as told:
        parse_target(url)
    assert words in str(told.value)
    assert told.value.code == "BAD_SETTING"
    assert isinstance(told.value, BadInput)
    assert str(told.value).endswith(".")


@pytest.mark.parametrize(
    ("wrong", "setting"),
    [
        ({"url": "nope"}, "url"),
        ({"namespace": "a{b}"}, "namespace"),
        ({"namespace": ""}, "namespace"),
        ({"durability": "sturdy"}, "durability"),
        ({"patience": 0}, "patience"),
        ({"heartbeat": -1}, "heartbeat"),
        ({"deadline": float("nan")}, "deadline"),
        ({"retention_ms": 0}, "retention_ms"),
        ({"max_payload_bytes": 0}, "max_payload_bytes"),
    ],
)
def test_a_setting_that_means_nothing_names_itself(wrong: dict[str, object], setting: str) -> None:
    make: type = BrokerSettings
    with pytest.raises(BadSetting) as told:
        make(**wrong)
    assert told.value.setting == setting
    assert setting in str(told.value)


def test_what_is_left_out_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEFATE_URL", "redis://h:1")
    monkeypatch.setenv("ONEFATE_STATE_DIR", "/var/lib/of")
    assert BrokerSettings().target == ServerTarget(Endpoint("h", 1))
    assert BrokerSettings(url="memory://").target == MemoryTarget("")
    assert BrokerSettings().directory == Path("/var/lib/of")
    assert BrokerSettings(state_dir=Path("/other")).directory == Path("/other")
    assert BrokerSettings(url="embedded:/third").directory == Path("/third")


def test_without_an_environment_the_default_is_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ONEFATE_URL", raising=False)
    monkeypatch.delenv("ONEFATE_STATE_DIR", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", "/xdg")
    assert BrokerSettings().target == EmbeddedTarget()
    assert BrokerSettings().directory == Path("/xdg/onefate")
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/u")
    assert BrokerSettings().directory == Path("/home/u/.local/state/onefate")


@pytest.mark.parametrize(
    "url",
    [
        "redis://user:secret/x@host:6379",
        "redis://user:12/secret@host:6379",
        "redis://user:secret#x@host",
        "redis://:secret?x=1@host",
        "redis://:x@host:secret",
        "redis://host?db=secret",
    ],
)
def test_a_url_that_cannot_be_read_is_not_quoted(url: str) -> None:
    with pytest.raises(BadSetting) as told:
        BrokerSettings(url=url)
    assert "secret" not in "".join(traceback.format_exception(told.value))


def test_settings_show_no_password_and_travel_to_other_processes() -> None:
    settings = BrokerSettings(url="redis://u:secret@h", durability=Durability.STRICT)
    assert "secret" not in repr(settings)
    assert pickle.loads(pickle.dumps(settings)) == settings  # noqa: S301 - our own bytes
    assert settings.link_policy().patience == settings.patience


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [
        ("NOAUTH Authentication required.", errors.PasswordRequired, "PASSWORD_REQUIRED"),
        ("WRONGPASS invalid username-password pair", errors.WrongPassword, "WRONG_PASSWORD"),
        ("NOPERM no permissions", errors.PermissionDenied, "PERMISSION_DENIED"),
        ("OOM command not allowed", errors.ServerFull, "SERVER_FULL"),
        ("READONLY You can't write", errors.ReadOnlyReplica, "READ_ONLY_REPLICA"),
        ("LOADING Redis is loading", errors.ServerLoading, "SERVER_LOADING"),
        ("MASTERDOWN Link with MASTER is down", errors.MasterDown, "MASTER_DOWN"),
        ("MISCONF Redis is configured", errors.CannotPersist, "CANNOT_PERSIST"),
        ("BUSY Redis is busy", errors.ServerBusy, "SERVER_BUSY"),
        ("NOREPLICAS Not enough good replicas", errors.TooFewReplicas, "TOO_FEW_REPLICAS"),
        ("NOPROTO unsupported protocol version", errors.ServerTooOld, "SERVER_TOO_OLD"),
        ("DENIED Redis is running in", errors.ProtectedMode, "PROTECTED_MODE"),
        ("ERR max number of clients reached", errors.TooManyClients, "TOO_MANY_CLIENTS"),
        ("ERR DB index is out of range", errors.WrongDatabase, "WRONG_DATABASE"),
        ("ERR unknown command 'HELLO'", errors.ServerTooOld, "SERVER_TOO_OLD"),
        ("WRONGTYPE Operation", ServerRefused, "SERVER_REFUSED"),
        ("ERR something else", ServerRefused, "SERVER_REFUSED"),
    ],
)
def test_an_error_reply_is_one_error_with_a_stable_code(
    text: str, kind: type[ServerRefused], code: str
) -> None:
    error = refused(text, "SET")
    assert type(error) is kind
    assert error.code == code
    assert error.kind == text.split(maxsplit=1)[0]
    assert error.detail not in str(error)
    assert str(error).endswith(".")


@pytest.mark.parametrize(
    "error",
    [
        BadSetting("url", "is wrong"),
        errors.CommandNotShared("WAIT"),
        errors.WrongProcess(1, 2),
        errors.WrongLoop(),
        errors.LinkClosed(),
        refused("OOM full", "SET"),
        errors.TlsRefused("h:1", "expired"),
        errors.MissingExtra("memory://", "memory"),
        errors.EmbeddedRefused("no binary"),
        errors.OutcomeUnknown("h:1", "reset"),
        errors.NotSent("h:1", 1.0, "refused"),
    ],
)
def test_every_error_travels_and_is_one_sentence(error: OnefateError) -> None:
    copied: object = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(copied) is type(error)
    assert vars(copied) == vars(error)
    assert str(copied) == str(error)
    assert str(error).endswith(".")
