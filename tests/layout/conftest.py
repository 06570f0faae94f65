"""The server as it is deployed, for the tests of its users and of the compose file."""

import subprocess
from collections.abc import Iterator

import pytest

from tests.layout.deployed import DEV
from tests.layout.tree import ROOT, program


@pytest.fixture(scope="session")
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
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as server:
        lines = server.stdout or ()
        assert any("ready to accept connections" in line.lower() for line in lines), (
            "it did not start"
        )
        yield path
        server.terminate()
