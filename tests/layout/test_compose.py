"""The compose file is sound, its containers may do little, and so may the server's users."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict, cast

import pytest
import yaml

from onefate.workers.mapfile import load_map
from tests.layout.tree import ROOT

DEV = ROOT / "deploy/dev"
USERS = ("port", "worker", "desk")


class Service(TypedDict, total=False):
    """What the tests read of a service."""

    user: str
    read_only: bool
    cap_drop: list[str]
    security_opt: list[str]
    healthcheck: dict[str, object]
    networks: list[str]
    ports: list[str]
    env_file: list[str]


def services() -> dict[str, Service]:
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    return cast("dict[str, Service]", yaml.safe_load(text)["services"])


def program(name: str) -> str:
    """Where a program is, or a skip that names it."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def test_compose_understands_the_file() -> None:
    command = [program("docker-compose"), "--file", "docker-compose.yml", "config"]
    shown = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert set(yaml.safe_load(shown)["services"]) == set(services())


def test_there_are_two_ports_two_workers_and_a_server() -> None:
    assert set(services()) == {"redis", "port-1", "port-2", "worker-1", "worker-2"}


def test_the_map_of_the_example_app_can_be_compiled() -> None:
    assert set(load_map(ROOT / "deploy/app/map.json").pages) == {"checkout"}


@pytest.mark.parametrize("name", services())
def test_a_container_may_do_little(name: str) -> None:
    service = services()[name]
    assert service.get("read_only") is True
    assert service.get("cap_drop") == ["ALL"]
    assert service.get("security_opt") == ["no-new-privileges:true"]
    assert service.get("user") not in {None, "root", "0", "0:0"}
    assert service.get("healthcheck")


def test_only_ports_are_reached_from_outside_and_only_from_this_machine() -> None:
    outside = {
        name for name, service in services().items() if "edge" in service.get("networks", [])
    }
    assert outside == {"port-1", "port-2"}
    published = [port for service in services().values() for port in service.get("ports", [])]
    assert all(port.startswith("127.0.0.1:") for port in published)


@pytest.mark.parametrize("name", ["port-1", "port-2", "worker-1", "worker-2"])
def test_each_process_has_only_its_own_password(name: str) -> None:
    (file,) = services()[name].get("env_file", [])
    assert file.endswith(f"/{name[:-2]}.env")


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


@pytest.fixture(scope="module")
def socket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with the deployed configuration and users, and one user who may ask about them."""
    folder = tmp_path_factory.mktemp("acl")
    acl, path = folder / "users.acl", str(folder / "s")
    users = (DEV / "users.acl").read_text("utf-8")
    acl.write_text(users + "user auditor on nopass ~* &* +@all\n", encoding="utf-8")
    deployed = (ROOT / "deploy/redis.conf").read_text("utf-8")
    settings = deployed.replace("/etc/onefate/users.acl", str(acl)).replace("/data", str(folder))
    (folder / "redis.conf").write_text(settings, encoding="utf-8")
    command = [program("redis-server"), f"{folder}/redis.conf", "--port", "0", "--unixsocket", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        lines = server.stdout or ()
        assert any("ready to accept connections" in line.lower() for line in lines), (
            "it did not start"
        )
        yield path
        server.terminate()


def asked(socket: str, user: str, password: str, *words: str) -> str:
    """What the server answers a user of its command line client."""
    login = ["--no-auth-warning", "--user", user, "--pass", password]
    command = [program("redis-cli"), "-s", socket, *login, *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
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
    url = (DEV / f"{user}.env").read_text("utf-8").strip()
    password = url.split("@")[0].rsplit(":", 1)[1]
    assert asked(socket, user, password, "PING") == "PONG"
    assert "WRONGPASS" in asked(socket, user, "wrong", "PING")


def test_a_stranger_gets_nowhere_and_health_only_asks_for_life(socket: str) -> None:
    assert "WRONGPASS" in asked(socket, "default", "", "PING")
    assert asked(socket, "health", "health", "PING") == "PONG"
    assert "NOPERM" in asked(socket, "health", "health", "GET", "of:{10}:d:s:1")
