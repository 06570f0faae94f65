"""A private server killed in mid-run: what it acknowledged stands, and every wait ends."""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from onefate.broker import BrokerSettings, Ledger, Settlement, open_broker, performed
from onefate.broker.ledger.embedded import OwnedServer, ensure_server, stop
from onefate.broker.ledger.embedded.layout import prepare
from onefate.broker.ledger.embedded.probe import Condition, ask, probe
from onefate.broker.ledger.ids import FireId
from tests.chaos.children import child
from tests.chaos.places import quick, until
from tests.guarantees import proves
from tests.servers import any_binary

pytestmark = [
    proves("store:honest", "wait:never-fails", "settle:immutable"),
    pytest.mark.timeout(120),
]

KILLS = 3
FIRES_BETWEEN = 150
STARTS = 6


@pytest.fixture
def home() -> Iterator[Path]:
    """A state directory whose server, if any, ends with the test."""
    any_binary()
    with tempfile.TemporaryDirectory(prefix="of-") as folder:
        directory = Path(folder) / "state"
        yield directory
        stop(directory)


class Traffic:
    """Fires that are recorded, waited for and settled all the time."""

    def __init__(self, recording: Ledger, settling: Ledger) -> None:
        self.recorded: list[str] = []
        self.acknowledged: dict[str, Settlement] = {}
        self.woken: dict[str, Settlement] = {}
        self.over = False
        self._recording = recording
        self._settling = settling

    async def flow(self) -> None:
        """One stream of fires, until it is over."""
        while not self.over:
            fire = await self._recording.record("pay")
            self.recorded.append(fire.id)
            async with anyio.create_task_group() as group:
                group.start_soon(self._wait, fire.id)
                group.start_soon(self._settle, fire.id)

    async def has_woken(self, count: int) -> None:
        """Return once so many waits have ended."""
        await until(lambda: len(self.woken) > count)

    async def _wait(self, fire_id: str) -> None:
        self.woken[fire_id] = await self._recording.when_settled(fire_id)

    async def _settle(self, fire_id: str) -> None:
        told = await self._settling.settle(fire_id, performed(fire_id), by="w")
        assert told.won
        self.acknowledged[fire_id] = told.settlement


@proves("id:never-reused", "settle:lost-reply")
async def test_a_server_killed_in_mid_run_loses_nothing_acknowledged(server: OwnedServer) -> None:
    settings = quick(server.url)
    async with open_broker(settings) as one, open_broker(settings) as two:
        traffic = Traffic(one.ledger("s"), two.ledger("s"))
        with anyio.fail_after(90):
            async with anyio.create_task_group() as group:
                for _ in range(8):
                    group.start_soon(traffic.flow)
                for kill in range(1, KILLS + 1):
                    await traffic.has_woken(kill * FIRES_BETWEEN)
                    await anyio.to_thread.run_sync(server.kill)
                    await anyio.to_thread.run_sync(server.start)
                await traffic.has_woken((KILLS + 1) * FIRES_BETWEEN)
                traffic.over = True
        assert len(set(traffic.recorded)) == len(traffic.recorded)
        assert traffic.woken == traffic.acknowledged
        assert set(traffic.woken) == set(traffic.recorded)
        for fire_id, settlement in traffic.acknowledged.items():
            assert await two.ledger("s").settlement_if_known(fire_id) == settlement
        assert await two.ledger("s").awaiting() == ()
        assert one.counters()["conflicts"] == two.counters()["conflicts"] == 0
    epochs = {FireId.parse(each).number.epoch for each in traffic.recorded}
    assert epochs == set(range(KILLS + 1))


@proves("wait:no-lost-wakeup")
async def test_a_shared_server_that_is_killed_is_started_again_by_who_waits(home: Path) -> None:
    settings = BrokerSettings(url="embedded:", state_dir=home, heartbeat=0.1, deadline=1)
    async with open_broker(settings) as one, open_broker(settings) as two:
        fire = await one.ledger("s").record("pay")
        woken: list[Settlement] = []
        told: list[Settlement] = []

        async def wait() -> None:
            woken.append(await one.ledger("s").when_settled(fire.id))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(wait)
                await until(lambda: one.hub.open == 1)
                await anyio.to_thread.run_sync(_kill, home)
                settled = await two.ledger("s").settle(fire.id, performed(1), by="two")
                told.append(settled.settlement)
        assert woken == told
        assert (await one.ledger("s").record("pay")).id == "pay#1.1"


async def test_a_server_outlives_the_killed_process_that_started_it(home: Path) -> None:
    settings = BrokerSettings(url=f"embedded:{home}", heartbeat=0.1, deadline=1)
    async with child("tests.chaos.holding", f"embedded:{home}") as starter:
        fire_id = str(await starter.said())
        async with open_broker(settings) as broker:
            await starter.kill()
            told = await broker.ledger("s").settle(fire_id, performed(), by="w")
            assert told.won
            assert broker.counters()["losses"] == 0
    assert await anyio.to_thread.run_sync(_condition, home) is Condition.READY


async def test_starters_killed_at_any_time_leave_a_server_or_none(home: Path) -> None:
    for attempt in range(STARTS):
        async with child("tests.chaos.holding", f"embedded:{home}") as starter:
            with anyio.move_on_after(0.15 + 0.1 * attempt):
                await starter.said()
            if starter.process.returncode is None:
                await starter.kill()
        path = await anyio.to_thread.run_sync(ensure_server, home)
        answer = await anyio.to_thread.run_sync(ask, path, b"SET k v\r\n")
        assert answer == b"+OK\r\n"
        await anyio.to_thread.run_sync(_kill, home)


def _condition(home: Path) -> Condition:
    return probe(prepare(home).socket)


def _kill(home: Path) -> None:
    """Kill the server; whoever uses it may have started another before this returns."""
    process_id = prepare(home).process_id()
    assert process_id is not None
    os.kill(process_id, signal.SIGKILL)
