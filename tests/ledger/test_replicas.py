import socket
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager

import anyio
import pytest

from onefate.broker import BrokerSettings, Durability, open_broker, performed
from tests.guarantees import proves
from tests.ledger.servers import server_binary

pytestmark = proves("store:honest")


@contextmanager
def node(port: int, directory: str, *options: str) -> Generator[subprocess.Popen[bytes]]:
    binary = server_binary()
    if binary is None:
        pytest.skip("no server here")
    words = [
        str(binary), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", directory,
        "--appendonly", "yes", "--maxmemory-policy", "noeviction",
        "--repl-diskless-sync-delay", "0", *options,
    ]  # fmt: skip
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture
def replicated() -> Generator[tuple[str, subprocess.Popen[bytes]]]:
    """A master's URL, and its only replica."""
    first, second = free_port(), free_port()
    with (
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
        node(first, one),
        node(second, two, "--replicaof", f"127.0.0.1 {first}") as replica,
    ):
        yield f"redis://127.0.0.1:{first}/0", replica


async def test_a_receipt_says_whether_the_replicas_have_it(
    replicated: tuple[str, subprocess.Popen[bytes]],
) -> None:
    url, replica = replicated
    settings = BrokerSettings(
        url=url, durability=Durability.REPLICATED, deadline=2.0, heartbeat=0.5
    )
    with anyio.fail_after(30):
        await _replicating(url)
        async with open_broker(settings) as broker:
            ledger = broker.ledger("s")
            fire = await ledger.record("pay")
            assert fire.kept is not None
            assert fire.kept.confirmed
            replica.kill()
            await anyio.to_thread.run_sync(replica.wait)
            told = await ledger.settle(fire.id, performed(), by="w")
            assert told.won
            assert not told.kept.confirmed


async def _replicating(url: str) -> None:
    """Returns once the replica is connected."""
    settings = BrokerSettings(url=url, durability=Durability.FAST)
    async with open_broker(settings) as broker:
        while True:
            reply = await broker.link.execute("INFO", "replication")
            assert isinstance(reply, bytes)
            if b"state=online" in reply:
                return
            await anyio.lowlevel.checkpoint()
