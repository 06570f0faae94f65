import shutil
import tempfile
from pathlib import Path

import pytest

from onefate.broker import Broker, BrokerSettings, Durability, open_broker
from onefate.broker.ledger.faults import CheckFailed
from tests.guarantees import proves
from tests.ledger.servers import Backend, needs, running, server_binary

pytestmark = proves("store:honest")


async def test_a_fitting_server_passes_every_check(broker: Broker, backend: Backend) -> None:
    needs(backend, "checks")
    found = {each.check: each.ok for each in await broker.doctor()}
    assert found == dict.fromkeys(
        ("version", "policy", "role", "persistence", "replicas", "namespace"), True
    )


async def test_a_server_that_does_not_tell_is_believed(broker: Broker, backend: Backend) -> None:
    if backend != "memory":
        pytest.skip("this server tells")
    found = {each.check: each.ok for each in await broker.doctor()}
    assert found["version"] is found["policy"] is found["role"] is None


@pytest.mark.parametrize(
    ("option", "durability", "check"),
    [
        (("--maxmemory-policy", "allkeys-lru"), Durability.MEMORY, "policy"),
        (("--appendonly", "no"), Durability.FAST, "persistence"),
        (("--appendonly", "yes"), Durability.FSYNC, "persistence"),
        (("--replicaof", "127.0.0.1 1"), Durability.MEMORY, "role"),
    ],
)
async def test_a_server_that_cannot_carry_the_ledger_is_refused_by_name(
    option: tuple[str, ...], durability: Durability, check: str
) -> None:
    binary = server_binary()
    if binary is None:
        pytest.skip("no server here")
    with (
        tempfile.TemporaryDirectory(prefix="of") as directory,
        running(binary, Path(directory), *option) as url,
    ):
        settings = BrokerSettings(url=url, durability=durability, patience=0.2)
        if check == "role":
            with pytest.raises(Exception, match="replica"):
                async with open_broker(settings):
                    pass
            return
        with pytest.raises(CheckFailed) as told:
            async with open_broker(settings):
                pass
        assert told.value.check == check
    assert shutil.which(binary) is not None


async def test_a_namespace_of_another_layout_is_refused(
    broker: Broker, settings: BrokerSettings
) -> None:
    await broker.link.execute("HSET", "of:meta", "partitions", "16")
    with pytest.raises(CheckFailed) as told:
        async with open_broker(settings):
            pass
    assert told.value.check == "namespace"


@pytest.mark.parametrize("durability", [Durability.REPLICATED, Durability.STRICT])
async def test_waiting_for_replicas_needs_a_replica(
    settings: BrokerSettings, backend: Backend, durability: Durability
) -> None:
    needs(backend, "checks")
    asked = BrokerSettings(url=settings.url, durability=durability)
    with pytest.raises(CheckFailed):
        async with open_broker(asked):
            pass
