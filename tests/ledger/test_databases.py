"""Databases of one server share its channels and nothing else: none is told another's fates."""

from collections.abc import Iterator

import anyio
import anyio.lowlevel
import pytest

from onefate.broker import open_broker, performed
from onefate.broker.ledger.embedded import OwnedServer
from tests.guarantees import proves
from tests.servers import embedded_server

pytestmark = proves("answer:one-truth", "fire:started-once")


@pytest.fixture(scope="module")
def server() -> Iterator[OwnedServer]:
    with embedded_server() as started:
        yield started


async def test_a_settlement_of_one_database_is_no_answer_in_another(server: OwnedServer) -> None:
    async with open_broker(server.url) as one, open_broker(f"{server.url}?db=1") as other:
        here = await one.ledger("s").record("pay")
        there = await other.ledger("s").record("pay")
        assert here.id == there.id
        told: list[object] = []

        async def wait() -> None:
            told.append((await other.ledger("s").when_settled(there.id)).data)

        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                group.start_soon(wait)
                while not other.hub.open:
                    await anyio.lowlevel.checkpoint()
                await other.link.execute("PING")
                await one.ledger("s").settle(here.id, performed("of one"), by="w")
                await other.link.execute("PING")
                assert await other.ledger("s").settlement_if_known(there.id) is None
                await other.ledger("s").settle(there.id, performed("of the other"), by="w")
    assert told == ["of the other"]


async def test_work_of_one_database_nudges_nobody_in_another(server: OwnedServer) -> None:
    async with (
        open_broker(server.url) as one,
        open_broker(f"{server.url}?db=1") as other,
        other.queue("q", "w", session="n") as queue,
    ):
        assert await queue.take() == []
        async with anyio.create_task_group() as group:
            group.start_soon(queue.wait)
            await anyio.lowlevel.checkpoint()
            await one.ledger("n").record("pay", queue="q")
            await other.link.execute("PING")
            assert await queue.take() == []
            await other.ledger("n").record("work", queue="q")
        assert [each.fire_id for each in await queue.take()] == ["work#0"]
