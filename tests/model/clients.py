"""Two clients of one store, driven from a thread, over links that lose what they are told to."""

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from onefate.broker import Broker, BrokerSettings
from onefate.broker.ledger.link import Link
from onefate.broker.ledger.link.target import MemoryTarget
from onefate.broker.ledger.opening import open_link
from tests.ledger.flaky import Fault, FlakyLink

T = TypeVar("T")


@dataclass(slots=True)
class Clients:
    """The brokers, their links, and the loop they live on."""

    portal: BlockingPortal
    brokers: list[Broker]
    links: list[FlakyLink]
    side: Link
    """A link that loses nothing, for breaking things and looking."""
    lives_in_process: bool

    def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """Runs one coroutine on the loop, within a deadline."""

        async def bounded() -> T:
            with anyio.fail_after(20):
                return await work()

        return self.portal.call(bounded)

    def race(self, works: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
        """Runs coroutines at once and gives their answers in order."""

        async def all_at_once() -> list[T]:
            answers: dict[int, T] = {}

            async def one(index: int, work: Callable[[], Awaitable[T]]) -> None:
                answers[index] = await work()

            async with anyio.create_task_group() as group:
                for index, work in enumerate(works):
                    group.start_soon(one, index, work)
            return [answers[index] for index in range(len(works))]

        return self.call(all_at_once)

    def lose(self, client: int, faults: list[Fault]) -> None:
        """Lets the client's next attempts meet these faults."""
        self.links[client].plan.clear()
        self.links[client].plan.extend(faults)

    def cut(self) -> None:
        """Kills every connection but this one's."""
        if not self.lives_in_process:
            self.call(lambda: self.side.execute("CLIENT", "KILL", "SKIPME", "yes"))

    def begin_history(self, name: str) -> None:
        """Lets the store say that its history is another one."""
        for link in self.links:
            link.other_topology = name


@contextmanager
def clients(settings: BrokerSettings) -> Generator[Clients]:
    """Two clients of the store that the settings name, which is emptied first."""
    with start_blocking_portal() as portal:
        side = portal.call(open_link, settings)
        portal.call(side.execute, "FLUSHALL")
        links = [FlakyLink(portal.call(open_link, settings)) for _ in range(2)]

        async def opened(link: FlakyLink) -> Broker:
            broker = Broker(link, settings)
            await broker.start()
            return broker

        brokers = [portal.call(opened, link) for link in links]
        in_process = isinstance(settings.target, MemoryTarget)
        try:
            yield Clients(portal, brokers, links, side, in_process)
        finally:
            for broker in brokers:
                portal.call(broker.aclose)
            portal.call(side.aclose)
