"""The server's users may do the work of their processes and nothing else."""

import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from onefate.broker import Claim, open_broker, performed
from tests.layout.deployed import DEV, door, password_of
from tests.layout.tree import ROOT, program

USERS = ("port", "worker", "desk")


def make_users(*arguments: str) -> int:
    command = [sys.executable, "deploy/users.py", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in folder.iterdir()}


def test_the_development_users_are_current(tmp_path: Path) -> None:
    assert make_users("--dev", str(tmp_path / "dev")) == 0
    assert texts(tmp_path / "dev") == texts(DEV)


def test_new_passwords_are_new_and_are_not_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    assert make_users(str(folder)) == 0
    first = texts(folder)
    assert all(first[f"{user}.env"] != (DEV / f"{user}.env").read_text("utf-8") for user in USERS)
    assert make_users(str(folder)) == 1
    assert texts(folder) == first


def asked(socket: str, user: str, password: str, *words: str) -> str:
    """What the server answers a user of its command line client."""
    login = ["--no-auth-warning", "--user", user, "--pass", password]
    command = [program("redis-cli"), "-s", socket, *login, *words]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    return (done.stderr + done.stdout).strip()


def may(socket: str, user: str, command: str) -> bool:
    """Whether the server would let a user run a command."""
    return asked(socket, "auditor", "any", "ACL", "DRYRUN", user, *command.split()) == "OK"


EVERYONE = (
    "GET of:{10}:d:s:1",
    "SET of:{10}:d:s:1 receipt NX",
    "HSET of:{10}:f:s:1 st open",
    "EVALSHA 0 1 of:{10}:s:s",
    "XADD of:{10}:q:main * f 1",
    "PUBLISH of:{10}:w 1",
    "SUBSCRIBE of:{10}:w",
    "CONFIG GET maxmemory-policy",
    "INFO",
    "ROLE",
)
WORKERS = (
    "XGROUP CREATE of:{10}:q:main w 0",
    "XREADGROUP GROUP w me STREAMS of:{10}:q:main >",
    "XACK of:{10}:q:main w 1-1",
    "XAUTOCLAIM of:{10}:q:main w me 60000 0",
)
NOBODY = (
    "GET other:key",
    "SUBSCRIBE other",
    "PSUBSCRIBE *",
    "BLPOP of:{10}:l:s:gaps 0",
    "FLUSHALL",
    "KEYS *",
    "CONFIG SET maxmemory-policy allkeys-lru",
    "ACL SETUSER port on",
    "SCRIPT FLUSH",
    "FUNCTION LIST",
    "CLIENT KILL ID 1",
    "DEBUG SLEEP 1",
    "SHUTDOWN",
    "REPLICAOF NO ONE",
)


@pytest.mark.parametrize("user", USERS)
def test_a_user_may_do_its_work_and_nothing_else(socket: str, user: str) -> None:
    assert [command for command in EVERYONE if not may(socket, user, command)] == []
    assert [
        command for command in WORKERS if may(socket, user, command) != (user == "worker")
    ] == []
    assert [command for command in NOBODY if may(socket, user, command)] == []


@pytest.mark.parametrize("user", USERS)
def test_the_password_in_the_environment_file_opens_the_door(socket: str, user: str) -> None:
    assert asked(socket, user, password_of(user), "PING") == "PONG"
    assert "WRONGPASS" in asked(socket, user, "wrong", "PING")


def test_a_stranger_gets_nowhere_and_health_only_asks_for_life(socket: str) -> None:
    assert "WRONGPASS" in asked(socket, "default", "", "PING")
    assert asked(socket, "health", "health", "PING") == "PONG"
    assert "NOPERM" in asked(socket, "health", "health", "GET", "of:{10}:d:s:1")


async def test_a_port_and_a_worker_bring_a_fire_to_rest_with_these_rights(socket: str) -> None:
    async with (
        open_broker(door(socket, "port")) as port,
        open_broker(door(socket, "worker")) as worker,
        worker.queue("main", "worker-1") as queue,
    ):
        fire = await port.ledger("orders").record("place-order", {"cart": 7}, queue="main")
        with anyio.fail_after(10):
            await queue.wait()
            (entry,) = await queue.take()
            claim = await queue.claim(entry)
            assert isinstance(claim, Claim)
            assert await queue.beat(claim)
            settled = await worker.ledger("orders").settle(
                fire.id, performed({"order": 41}), by="worker-1", fence=claim.fence
            )
            await queue.done(entry)
            assert await port.ledger("orders").when_settled(fire.id) == settled.settlement


@pytest.mark.parametrize("user", USERS)
async def test_the_doctor_finds_the_deployed_server_fit(socket: str, user: str) -> None:
    async with open_broker(door(socket, user)) as broker:
        assert [finding for finding in await broker.doctor() if finding.ok is not True] == []
