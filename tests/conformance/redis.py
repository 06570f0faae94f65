"""Plays scenarios on real sessions: a server of our own, and one or more doors that take turns.

Each door has a broker of its own, so another connection and no shared Python state; what one door
registers is code that the others bring too, as processes of one app do.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar, cast

import anyio
import anyio.lowlevel

from onefate.broker.door import Session, open_session
from onefate.broker.ledger.broker import Broker, open_broker
from onefate.broker.session.draft import Draft
from onefate.broker.session.state import Receipt
from onefate.port import PortOptions, ServedPort
from tests.conformance.driver import CLOCK_START, Mount, Opener, Plan, keywords
from tests.conformance.reading import plain
from tests.conformance.scenario import Json, table
from tests.servers import embedded_server

T = TypeVar("T")
PATIENCE = 30.0


@dataclass(slots=True)
class Deferred:
    """A handler that waits for its release."""

    key: str
    released: asyncio.Future[object] = field(default_factory=asyncio.Future[object])


class RedisDriver:
    """One session behind several doors."""

    def __init__(self, broker: Broker, session_id: str) -> None:
        self.session_id = session_id
        self._ledger = broker.ledger(session_id)
        self._doors: list[Session] = []
        self._turn = 0
        self._now = CLOCK_START
        self._deferred: list[Deferred] = []
        self._waits: list[tuple[str, asyncio.Future[Receipt]]] = []

    def clock(self) -> int:
        """The scenario's clock."""
        return self._now

    def add(self, door: Session) -> None:
        """Let another door take its turns."""
        self._doors.append(door)

    @property
    def _door(self) -> Session:
        self._turn = (self._turn + 1) % len(self._doors)
        return self._doors[self._turn]

    async def decide(self, decision: Callable[[Draft], T], /) -> T:
        return await self._door.decide(decision)

    async def call(self, port: PortOptions, tool: str, arguments: object) -> Json:
        return plain(await ServedPort(self._door, port).call(tool, arguments))

    async def tools(self, port: PortOptions) -> bytes:
        return ServedPort(self._door, port).tool_bytes

    async def settled_answer(self, port: PortOptions, transition_id: str) -> Json:
        return plain(await ServedPort(self._door, port).settled_answer(transition_id))

    async def wait(self, transition_id: str) -> Callable[[], Json]:
        door = self._door
        await door.settlement_if_known(transition_id)
        waiting = asyncio.ensure_future(door.when_settled(transition_id))
        self._waits.append((transition_id, waiting))
        return lambda: plain(waiting.result()) if waiting.done() else None

    async def report(self, delta: Json, options: Mapping[str, object]) -> Json:
        door = self._door
        said = keywords(options, door.update_state)
        return plain(await door.update_state(table(delta), **said))

    async def begin_work(self, label: str | None, options: Mapping[str, object]) -> Json:
        door = self._door
        return plain(await door.begin_work(label, **keywords(options, door.begin_work)))

    async def deferred(self, key: str) -> object:
        waiting = Deferred(key)
        self._deferred.append(waiting)
        return await waiting.released

    async def mount(self, mount: Mount) -> str:
        door = self._door
        handlers = dict(mount.handlers)
        if mount.node is None:
            return (await door.register_handlers(mount.group or "app", handlers)).group
        registration = await door.register_actions(
            mount.node, handlers, actions=mount.actions, instance=mount.instance,
            enabled=mount.enabled, busy=mount.busy, visible=mount.visible, holds=mount.holds,
        )  # fmt: skip
        readers = {registration.read[name]: reader for name, reader in mount.holds.items()}
        declared = {f"{mount.node}.{name}": made for name, made in mount.actions.items()}
        for other in self._doors:
            if other is not door:
                other.bring(registration.group, readers=readers, definitions=declared)
        return registration.group

    async def unmount(self, group: str) -> None:
        await self._door.unregister(group)
        for door in self._doors:
            door.drop(group)

    async def flush(self) -> None:
        with anyio.fail_after(PATIENCE):
            await self._door.flush()
            while not await self._is_quiet():
                await anyio.lowlevel.checkpoint()
            await self._door.flush()

    async def _is_quiet(self) -> bool:
        """Whether every fire that can start has started, and everybody has heard what settled."""
        if self._performing != len(self._deferred):
            return False
        awaiting = {fire.id: fire for fire in await self._ledger.awaiting()}
        queued = (fire for fire in awaiting.values() if fire.queue is not None)
        unheard = (one for one, waiting in self._waits if not waiting.done())
        return (
            all(fire.started is not None for fire in queued)
            and all(one in awaiting for one in unheard)
            and self._performing == len(self._deferred)
        )

    @property
    def _performing(self) -> int:
        return sum(door.performing for door in self._doors)

    async def release(self, key: str, value: object, error: Exception | None) -> bool:
        found = next((one for one in self._deferred if one.key == key), None)
        if found is None:
            return False
        self._deferred.remove(found)
        if error is None:
            found.released.set_result(value)
        else:
            found.released.set_exception(error)
        return True

    async def tick(self, milliseconds: int) -> None:
        self._now += milliseconds

    def close(self) -> None:
        """Let go of waits and handlers that nobody ends."""
        for _, waiting in self._waits:
            waiting.cancel()
        for one in self._deferred:
            one.released.cancel()


@asynccontextmanager
async def server(ports: int) -> AsyncGenerator[Opener]:
    """Give an opener of sessions on a server that ends with the block, through `ports` doors."""
    with embedded_server() as own:
        async with doors(own.url, ports) as opener:
            yield opener


@asynccontextmanager
async def doors(url: str, ports: int) -> AsyncGenerator[Opener]:
    """Give an opener of sessions on the server at `url`, through `ports` doors."""
    async with AsyncExitStack() as stack:
        brokers = [await stack.enter_async_context(open_broker(url)) for _ in range(ports)]
        yield partial(opened, brokers)


@asynccontextmanager
async def opened(brokers: Sequence[Broker], plan: Plan) -> AsyncGenerator[RedisDriver]:
    """Open one session for one scenario, through a door on each broker."""
    driver = RedisDriver(brokers[0], f"s-{secrets.token_hex(6)}")
    navigate = cast("Callable[[str], object] | None", plan.options.get("navigate"))
    options = {key: value for key, value in plan.options.items() if key != "navigate"}
    async with AsyncExitStack() as stack:
        for broker in brokers:
            door = open_session(
                broker, driver.session_id, plan.journey_map, options,
                clock=driver.clock, navigate=navigate,
            )  # fmt: skip
            driver.add(await stack.enter_async_context(door))
        stack.callback(driver.close)
        yield driver
