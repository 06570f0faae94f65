"""Plays scenarios on the pure machine: one complete snapshot in memory, no server, no event loop.

Handlers are coroutines stepped by hand: a handler runs inside its fire until it waits for
`release`, and what it reports meanwhile belongs to that fire (departure 2).
"""

from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from onefate.broker.session import outcomes, registry, report, settle, structure, work
from onefate.broker.session.draft import Draft, FireOrder
from onefate.broker.session.memory import Memory
from onefate.broker.session.raised import raised
from onefate.broker.session.state import ABSENT
from onefate.port import Port, PortOptions, call, settled_facts
from tests.conformance.driver import CLOCK_START, Handler, Mount, Plan, keywords
from tests.conformance.reading import plain
from tests.conformance.scenario import Json, table

T = TypeVar("T")
Running = Coroutine[object, object, object]


class Deferral:
    """What a handler awaits until it is released."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __await__(self) -> Generator["Deferral", object, object]:
        return (yield self)


@dataclass(slots=True)
class Suspended:
    """A handler that waits for its release."""

    key: str
    order: FireOrder
    running: Running


class CoreDriver:
    """One session on the machine alone."""

    def __init__(self, plan: Plan) -> None:
        self._session = Memory(plan.journey_map, plan.options, now=CLOCK_START)
        self._navigate = plan.options.get("navigate")
        self._handlers: dict[str, Handler] = {}
        self._due: deque[FireOrder] = deque()
        self._suspended: list[Suspended] = []
        self._inside: str | None = None

    async def decide(self, decision: Callable[[Draft], T], /) -> T:
        draft = self._session.draft()
        answer = decision(draft)
        self._session.commit(draft.decision)
        self._due.extend(order for order in draft.decision.fires if order.runs)
        return answer

    # What an agent does

    async def call(self, port: PortOptions, tool: str, arguments: object) -> Json:
        made = Port(self._session.map, self._session.options, port)
        return plain(await self.decide(lambda draft: call(draft, made, tool, arguments)))

    async def tools(self, port: PortOptions) -> bytes:
        return Port(self._session.map, self._session.options, port).tool_bytes

    async def settled_answer(self, port: PortOptions, transition_id: str) -> Json:
        del port
        return plain(await self.decide(lambda draft: settled_facts(draft, transition_id)))

    async def wait(self, transition_id: str) -> Callable[[], Json]:
        await self.decide(lambda draft: settle.settlement_if_known(draft, transition_id))

        def settlement() -> Json:
            return plain(settle.settlement_if_known(self._session.draft(), transition_id))

        return settlement

    # What a handler does

    async def report(self, delta: Json, options: Mapping[str, object]) -> Json:
        inside = self._inside
        said = keywords(options, report.update_state)
        answer = await self.decide(
            lambda draft: report.update_state(draft, table(delta), **said, inside=inside)
        )
        return plain(answer)

    async def begin_work(self, label: str | None, options: Mapping[str, object]) -> Json:
        inside = self._inside
        said = keywords(options, work.begin_work)
        answer = await self.decide(
            lambda draft: work.begin_work(draft, label, **said, inside=inside)
        )
        return plain(answer)

    async def deferred(self, key: str) -> object:
        return await Deferral(key)

    # Code, and time

    async def mount(self, mount: Mount) -> str:
        group = await self.decide(lambda draft: _register(draft, mount))
        keys = self._session.draft().registry["groups"][group]
        self._handlers |= {keys[name]: handler for name, handler in mount.handlers.items()}
        for name, reader in mount.holds.items():
            own = f"{mount.node}.{name}"
            action = own if self._session.draft().action(own) is not None else name
            self._session.code.holds.setdefault(action, []).append((group, reader))
        return group

    async def unmount(self, group: str) -> None:
        await self.decide(lambda draft: registry.unregister(draft, group))
        for readers in self._session.code.holds.values():
            readers[:] = [held for held in readers if held[0] != group]

    async def flush(self) -> None:
        while True:
            await self.decide(structure.flush_structure)
            if not self._due:
                return
            await self._start(self._due.popleft())

    async def _start(self, order: FireOrder) -> None:
        if not await self.decide(lambda draft: outcomes.handler_started(draft, order.id)):
            return
        payload = None if order.payload is ABSENT else order.payload
        await self._step(order, self._handler(order)(payload))

    def _handler(self, order: FireOrder) -> Handler:
        if order.binding is not None:
            return self._handlers[order.binding]

        async def navigate(_payload: object) -> object:
            return self._navigate(order.href) if callable(self._navigate) else None

        return navigate

    async def _step(
        self,
        order: FireOrder,
        running: Running,
        value: object = None,
        error: Exception | None = None,
    ) -> None:
        """Run a handler up to its next wait, or to its end; then its fire hears how it ended."""
        self._inside = order.id
        try:
            waiting = running.send(value) if error is None else running.throw(error)
        except StopIteration as stop:
            returned = stop.value
            await self.decide(lambda draft: outcomes.handler_returned(draft, order.id, returned))
        except Exception as thrown:  # noqa: BLE001 - whatever a handler raises fails its fire
            told = raised(thrown)
            await self.decide(lambda draft: outcomes.handler_threw(draft, order.id, told))
        else:
            if not isinstance(waiting, Deferral):
                raise TypeError(f"a described handler waits for {waiting!r}, not for a release")
            self._suspended.append(Suspended(waiting.key, order, running))
        finally:
            self._inside = None

    async def release(self, key: str, value: object, error: Exception | None) -> bool:
        found = next((one for one in self._suspended if one.key == key), None)
        if found is None:
            return False
        self._suspended.remove(found)
        await self._step(found.order, found.running, value, error)
        return True

    async def tick(self, milliseconds: int) -> None:
        self._session.now += milliseconds

    def close(self) -> None:
        """Let go of the handlers that nobody released."""
        for one in self._suspended:
            one.running.close()


def _register(draft: Draft, mount: Mount) -> str:
    if mount.node is None:
        group = mount.group or "app"
        registry.register_handlers(draft, group, list(mount.handlers))
        return group
    return registry.register_actions(
        draft,
        mount.node,
        handlers=list(mount.handlers),
        actions=mount.actions,
        instance=mount.instance,
        enabled=mount.enabled,
        busy=mount.busy,
        visible=mount.visible,
    )["id"]


@asynccontextmanager
async def opened(plan: Plan) -> AsyncGenerator[CoreDriver]:
    """Open one session for one scenario."""
    driver = CoreDriver(plan)
    try:
        yield driver
    finally:
        driver.close()
