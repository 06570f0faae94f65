"""A server that answers nothing any more: waits and writes heal, and each write has one effect."""

from collections import Counter

import anyio
import anyio.to_thread
import pytest

from onefate.broker import Broker, Settlement, open_broker, performed
from onefate.broker.ledger.embedded import OwnedServer
from tests.chaos.places import quick, until
from tests.guarantees import proves
from tests.link.proxy import Proxy

pytestmark = [
    proves("wait:never-fails", "wait:no-lost-wakeup", "settle:lost-reply"),
    pytest.mark.timeout(120),
]

FIRES = 50


async def test_a_black_hole_heals_by_the_heartbeat(
    broker: Broker, far: Broker, proxy: Proxy
) -> None:
    near = broker.ledger("s")
    fires = [await near.record("pay", index) for index in range(FIRES)]
    woken: list[Settlement] = []
    recorded: list[str] = []

    async def wait(fire_id: str) -> None:
        woken.append(await far.ledger("s").when_settled(fire_id))

    async def record() -> None:
        recorded.append((await far.ledger("s").record("late")).id)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for fire in fires:
                group.start_soon(wait, fire.id)
            await until(lambda: far.hub.open == FIRES)
            await far.ledger("s").settlement_if_known(fires[0].id)
            proxy.swallow()
            group.start_soon(record)
            for fire in fires:
                await near.settle(fire.id, performed(fire.id), by="near")
            await until(lambda: far.counters()["losses"] >= 1)
            assert not woken
            assert not recorded
            proxy.go_on()
            proxy.cut()
    assert {each.id: each.data for each in woken} == {fire.id: fire.id for fire in fires}
    counters = far.counters()
    assert counters["healed_by_resync"] + counters["healed_by_read"] == FIRES
    assert [fire.id for fire in await near.awaiting()] == recorded == [f"late#{FIRES}"]


async def test_a_frozen_server_performs_each_write_once(server: OwnedServer) -> None:
    """What it reads twice after it thaws, once from the lost connection, has one effect."""
    settings = quick(server.url)
    ids: list[str] = []
    woken: list[Settlement] = []
    async with open_broker(settings) as one, open_broker(settings) as two:
        ledger = one.ledger("s")
        fires = [await ledger.record("pay", index) for index in range(FIRES)]

        async def record() -> None:
            ids.append((await ledger.record("late", queue="q")).id)

        async def settle(fire_id: str) -> None:
            assert (await ledger.settle(fire_id, performed(fire_id), by="one")).won

        async def wait(fire_id: str) -> None:
            woken.append(await two.ledger("s").when_settled(fire_id))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                for fire in fires:
                    group.start_soon(wait, fire.id)
                await until(lambda: two.hub.open == FIRES)
                await anyio.to_thread.run_sync(server.pause)
                try:
                    for fire in fires:
                        group.start_soon(record)
                        group.start_soon(settle, fire.id)
                    await until(lambda: one.counters()["losses"] >= 1)
                finally:
                    with anyio.CancelScope(shield=True):
                        await anyio.to_thread.run_sync(server.resume)
        assert {each.id: each.data for each in woken} == {fire.id: fire.id for fire in fires}
        assert sorted(ids) == sorted(fire.id for fire in await two.ledger("s").awaiting())
        assert len(set(ids)) == FIRES
        for fire in fires:
            life = await two.ledger("s").explain(fire.id)
            assert [each.kind for each in life.happenings] == ["recorded", "settled"]
        async with two.queue("q", "w") as queue:
            entries = Counter(entry.fire_id for entry in await queue.take(10 * FIRES))
            assert entries == Counter(ids)
