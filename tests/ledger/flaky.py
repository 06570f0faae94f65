"""A link that loses what it is told to lose: commands before they are sent, replies after."""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, TypeVar

from onefate.broker.ledger.errors import NotSent, OutcomeUnknown
from onefate.broker.ledger.link import (
    Arg,
    Link,
    LinkCounters,
    PushListener,
    Reply,
    Script,
    ServerRefused,
    UpListener,
)

T = TypeVar("T")
Fault = Literal["command", "reply", "none"]


class FlakyLink:
    """A link over another one; each attempt takes the next fault of the plan, then none."""

    def __init__(self, inner: Link, *plan: Fault) -> None:
        self.inner = inner
        self.plan = deque(plan)
        self.met = 0
        self.other_topology = ""

    async def _attempt(self, work: Callable[[], Awaitable[T]]) -> T:
        fault = self.plan.popleft() if self.plan else "none"
        if fault == "command":
            self.met += 1
            raise NotSent("test", 0.0, "the plan says so")
        result = await work()
        if fault == "reply":
            self.met += 1
            raise OutcomeUnknown("test", "the plan says so")
        return result

    @property
    def topology(self) -> str:
        return self.other_topology or self.inner.topology

    @property
    def counters(self) -> LinkCounters:
        return self.inner.counters

    async def execute(self, *args: Arg) -> Reply:
        return await self._attempt(lambda: self.inner.execute(*args))

    async def run(self, script: Script, keys: Sequence[Arg], args: Sequence[Arg]) -> Reply:
        return await self._attempt(lambda: self.inner.run(script, keys, args))

    async def pipeline(self, commands: Sequence[Sequence[Arg]]) -> list[Reply | ServerRefused]:
        return await self._attempt(lambda: self.inner.pipeline(commands))

    async def subscribe(self, channel: str) -> None:
        await self.inner.subscribe(channel)

    async def unsubscribe(self, channel: str) -> None:
        await self.inner.unsubscribe(channel)

    def on_push(self, fn: PushListener) -> None:
        self.inner.on_push(fn)

    def on_up(self, fn: UpListener) -> None:
        self.inner.on_up(fn)

    async def aclose(self) -> None:
        await self.inner.aclose()
