"""The compose file is sound, and its containers may do little."""

import subprocess

import pytest
import yaml

from onefate.workers.mapfile import load_map
from tests.layout.deployed import services
from tests.layout.tree import ROOT, program


def test_compose_understands_the_file() -> None:
    command = [program("docker-compose"), "--file", "docker-compose.yml", "config"]
    shown = subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
    ).stdout
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
