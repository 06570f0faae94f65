"""`onefate doctor`: which server it looked at, what is wrong with it, and what it can lose."""

import json
import re
from pathlib import Path

import anyio
import pytest

from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.settings import BrokerSettings
from onefate.workers.cli import doctor, entry
from tests.guarantees import proves

pytestmark = proves("store:honest")

Shown = pytest.CaptureFixture[str]
CHECKS = (
    "connection", "version", "policy", "role", "persistence", "replicas", "namespace", "durability",
)  # fmt: skip


def test_the_doctor_finds_a_sound_server_sound(
    settings: BrokerSettings, server: OwnedServer, capsys: Shown
) -> None:
    where = ["--url", server.url, "--namespace", settings.namespace]
    assert entry.run(["doctor", *where]) == 0
    told = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert told == [["ok", check] for check in CHECKS]
    assert entry.run(["doctor", "--json", *where]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is True
    assert {each["verdict"] for each in told["checks"]} == {"ok"}
    says = {each["check"]: each["says"] for each in told["checks"]}
    assert f"at {server.url.removeprefix('unix://')}, database 0," in says["connection"]
    assert re.fullmatch(r"The server is (Valkey|Redis) \d.*\.", says["version"])
    assert "must" not in says["policy"]
    assert says["durability"].startswith("Mode fast: power loss may take the last second or two")


def test_the_doctor_refuses_a_server_that_evicts(tmp_path: Path, capsys: Shown) -> None:
    evicting = OwnedServer(tmp_path, config={"maxmemory-policy": "allkeys-lru"})
    evicting.start()
    try:
        assert entry.run(["doctor", "--url", evicting.url]) == 1
        shown = capsys.readouterr().out
        assert "FAILED    policy" in shown
        assert "must be noeviction" in shown
        assert "Mode fast" not in shown
        assert entry.run(["doctor", "--json", "--url", evicting.url]) == 1
        told = json.loads(capsys.readouterr().out)
    finally:
        evicting.stop()
    assert told["ok"] is False
    failed = [each["check"] for each in told["checks"] if each["verdict"] == "failed"]
    assert failed == ["policy"]


def test_the_doctor_says_that_durability_is_not_there(server: OwnedServer, capsys: Shown) -> None:
    where = ["--url", server.url, "--namespace", "d"]
    assert entry.run(["doctor", "--durability", "fsync", *where]) == 1
    assert "FAILED    persistence" in capsys.readouterr().out


def test_a_server_that_is_not_there_is_a_finding(
    tmp_path: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PATIENCE", 0.05)
    assert entry.run(["doctor", "--url", f"unix://{tmp_path}/nobody"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith(f"FAILED    connection   No usable server at {tmp_path}/nobody within")


def test_the_doctor_names_a_store_that_has_no_address(tmp_path: Path, capsys: Shown) -> None:
    private = ["--url", "embedded:", "--state-dir", str(tmp_path)]
    assert entry.run(["doctor", *private]) == 0
    assert f"The private server of {tmp_path} answers" in capsys.readouterr().out
    assert entry.run(["stop", *private]) == 0
    assert entry.run(["doctor", "--url", "memory://here"]) == 0
    assert "The store memory://here, inside this process, answers" in capsys.readouterr().out


def test_a_server_that_falls_silent_is_a_finding(tmp_path: Path, capsys: Shown) -> None:
    server = OwnedServer(tmp_path)
    server.start()
    try:
        assert patient_examination(server) == ["connection"]
    finally:
        server.stop()
    assert capsys.readouterr().err == ""


def patient_examination(server: OwnedServer) -> list[str]:
    """What a doctor finds who waits no time at all."""
    settings = BrokerSettings(url=server.url, patience=1e-9)
    return [each.check for each in anyio.run(doctor.examine, settings) if each.ok is False]
