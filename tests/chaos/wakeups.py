"""Any number of waits while the server kills the waiters' connection: none is lost.

`python -m tests.chaos.wakeups --waits 100000` prints the figures. Fires are recorded here, half of
them through the connection that is killed; another process settles them; every wait is begun at
once and its end is timed by the server's clock of the settlement.
"""

import argparse
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from onefate.broker import Broker, BrokerSettings, Durability, open_broker
from tests.chaos.children import Child, child
from tests.chaos.killing import EVERY_SECONDS, Kills, killing
from tests.servers import embedded_server

SESSION = "wakeups"
OPEN_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run came to."""

    waits: int
    woken: int
    seconds: float
    kills: int
    connects: int
    connections_at_once: int
    pushed: int
    healed_by_read: int
    healed_by_resync: int
    healed_by_sweep: int
    late_ms: tuple[int, int, int]
    """How long after the settlement a wait ended: the median, 99 of 100, the longest."""

    def __str__(self) -> str:
        p50, p99, most = self.late_ms
        return (
            f"{self.woken} of {self.waits} waits woken in {self.seconds:.1f} s, "
            f"{self.waits - self.woken} lost; {self.kills} kills, {self.connects} connects, "
            f"at most {self.connections_at_once} connection at once\n"
            f"pushed {self.pushed}, healed by resync {self.healed_by_resync}, "
            f"by read {self.healed_by_read}, by sweep {self.healed_by_sweep}\n"
            f"settled to woken: p50 {p50} ms, p99 {p99} ms, longest {most} ms"
        )


class Run:
    """The waits of one run."""

    def __init__(self, waits: int, waiting: Broker, recording: Broker, settler: Child) -> None:
        self._waits = waits
        self._waiting = waiting
        self._ways = (waiting.ledger(SESSION), recording.ledger(SESSION))
        self._settler = settler
        self._late: list[int] = []
        self._room = anyio.Semaphore(OPEN_AT_ONCE)

    async def play(self) -> float:
        """Record, wait and hear of every settlement; gives how long that took."""
        begun = time.monotonic()
        async with anyio.create_task_group() as group:
            for index in range(self._waits):
                await self._room.acquire()
                group.start_soon(self._one, index)
        return time.monotonic() - begun

    async def _one(self, index: int) -> None:
        fire = await self._ways[index % 2].record("pay", index)
        await self._settler.tell(fire.id)
        settlement = await self._waiting.ledger(SESSION).when_settled(fire.id)
        if settlement.data != fire.id:
            raise AssertionError(f"{fire.id} was answered with {settlement}")
        self._late.append(int(time.time() * 1000) - settlement.at_ms)
        self._room.release()

    def figures(self, seconds: float, kills: Kills) -> Figures:
        """Sum the run up."""
        counters = self._waiting.counters()
        late = sorted(self._late)
        return Figures(
            self._waits, len(late), seconds, kills.killed, counters["connects"],
            kills.most_waiting, counters["pushed"], counters["healed_by_read"],
            counters["healed_by_resync"], counters["healed_by_sweep"],
            (late[len(late) // 2], late[len(late) * 99 // 100], late[-1]),
        )  # fmt: skip


@asynccontextmanager
async def _settler(url: str, waits: int) -> AsyncGenerator[Child]:
    async with child("tests.chaos.settling", url, SESSION) as settler:
        if await settler.said() != "ready":
            raise AssertionError("the settler did not get ready")
        yield settler
        settler.tell_no_more()
        if await settler.said() != waits:
            raise AssertionError("the settler did not win every fire")


async def run(url: str, waits: int, every: float = EVERY_SECONDS) -> Figures:
    """Play one run against a server; a wait that is lost never lets it end."""
    settings = BrokerSettings(url=url, durability=Durability.FAST)
    async with (
        open_broker(settings) as waiting,
        open_broker(settings) as recording,
        _settler(url, waits) as settler,
        killing(url, "waiters", every=every) as kills,
    ):
        one_run = Run(waits, waiting, recording, settler)
        seconds = await one_run.play()
        return one_run.figures(seconds, kills)


def main(arguments: list[str]) -> None:
    """Print the figures of one run on a server of its own."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.wakeups")
    parser.add_argument("--waits", type=int, default=10_000)
    waits: int = parser.parse_args(arguments).waits
    with embedded_server() as server:
        sys.stdout.write(f"{anyio.run(run, server.url, waits)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
