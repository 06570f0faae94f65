"""Handlers while connections are cut and the server is killed: each starts once, none is lost."""

from collections import Counter
from typing import cast

import anyio
import anyio.to_thread
import pytest

from onefate.broker import Broker, open_broker
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.performing import HandlersByAction, Worker, current, worker
from onefate.broker.session.state import Wire
from onefate.workers import LedgerDoor
from tests.chaos.killing import killing
from tests.chaos.places import quick, shop, until
from tests.guarantees import proves

pytestmark = [proves("fire:started-once", "wait:never-fails"), pytest.mark.timeout(120)]

FIRES = 600


@proves("settle:lost-reply")
async def test_each_handler_starts_once_through_cut_connections(server: OwnedServer) -> None:
    started: Counter[str] = Counter()
    settled: Counter[str] = Counter()

    async def look(_: object) -> None:
        started[current().fire_id] += 1

    async with shop(server.url, "s") as session, shop(server.url, "s") as other:
        await session.register_handlers("app", {"till.look": look})

        async def fire_and_wait() -> None:
            record = cast("Wire", (await other.fire("till.look"))["transition"])
            fire_id = str(record["id"])
            settled[(await other.when_settled(fire_id))["effectStatus"]] += 1

        with anyio.fail_after(90):
            async with killing(server.url, "everybody", every=0.05) as kills:
                for _ in range(FIRES // 10):
                    async with anyio.create_task_group() as group:
                        for _ in range(10):
                            group.start_soon(fire_and_wait)
                assert kills.killed
        assert await session.awaiting_settlement() == []
    assert settled == {"performed": FIRES}
    assert set(started.values()) == {1}
    assert len(started) == FIRES


@proves("settle:first-wins")
async def test_what_a_handler_came_to_outlasts_any_outage(
    server: OwnedServer, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "OUTCOME_SECONDS", 0.01)
    running, finish = anyio.Event(), anyio.Event()

    async def slow(_: object) -> str:
        running.set()
        await finish.wait()
        return "done"

    fire = await broker.ledger("s").record("slow", queue="q")
    async with open_broker(quick(server.url)) as working, working.queue("q", "w") as queue:
        performer = Worker(queue, LedgerDoor(working, "w"), HandlersByAction({"slow": slow}))
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(performer.run)
                await running.wait()
                await anyio.to_thread.run_sync(server.kill)
                finish.set()
                await until(lambda: working.counters()["losses"] > 0)
                await until(lambda: performer.counters.returned > 0)
                await anyio.to_thread.run_sync(server.start)
                settlement = await broker.ledger("s").when_settled(fire.id)
                performer.drain()
                assert (settlement.by, settlement.data) == ("w", "done")
