"""What the player needs of whatever holds the session; the op table is written against this alone.

A driver opens one session for one scenario. It is asynchronous throughout, so that the same table
plays the pure machine and a session on a server.
"""

import inspect
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar

from onefate.broker.journey import JourneyMap
from onefate.broker.session.draft import Draft
from onefate.port import PortOptions
from tests.conformance.scenario import Json

T = TypeVar("T")
Handler: TypeAlias = Callable[[object], Coroutine[object, object, object]]
Reader: TypeAlias = Callable[[], object]
CLOCK_START = 1_700_000_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What a session is opened from: the compiled map, and options as they stand on the wire."""

    journey_map: JourneyMap
    options: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """Code bound to actions: by id in a named group, or by name on a node."""

    node: str | None = None
    group: str | None = None
    handlers: Mapping[str, Handler] = field(default_factory=dict[str, Handler])
    actions: Mapping[str, Mapping[str, object]] = field(
        default_factory=dict[str, Mapping[str, object]]
    )
    """Actions declared at mount, by name; those with a handler stand in `handlers` too."""
    instance: str | None = None
    enabled: Mapping[str, bool] = field(default_factory=dict[str, bool])
    busy: Mapping[str, object] = field(default_factory=dict[str, object])
    visible: bool | None = None
    holds: Mapping[str, Reader] = field(default_factory=dict[str, Reader])


_SNAKE = {
    "transitionId": "transition_id",
    "expectedVersion": "expected_version",
    "expiresInMs": "expires_in",
}


def keywords(options: Mapping[str, object], door: Callable[..., object]) -> dict[str, Any]:
    """Options of the wire as keyword arguments of `door`; those it does not read are left out."""
    known = inspect.signature(door).parameters
    said = {_SNAKE.get(key, key): value for key, value in options.items()}
    return {name: value for name, value in said.items() if name in known}


class App(Protocol):
    """What a described handler does while it runs; each call belongs to the fire it performs."""

    async def report(self, delta: Json, options: Mapping[str, object]) -> Json: ...
    async def begin_work(self, label: str | None, options: Mapping[str, object]) -> Json: ...
    async def deferred(self, key: str) -> object:
        """Wait until `release` gives this handler a value, or raises its error here."""
        ...


class Driver(App, Protocol):
    """One session, played."""

    async def decide(self, decision: Callable[[Draft], T], /) -> T:
        """Decide on the session as it stands and commit what was decided."""
        ...

    async def call(self, port: PortOptions, tool: str, arguments: object) -> Json: ...
    async def tools(self, port: PortOptions) -> bytes:
        """The port's tool array in its canonical bytes."""
        ...

    async def settled_answer(self, port: PortOptions, transition_id: str) -> Json: ...
    async def wait(self, transition_id: str) -> Callable[[], Json]:
        """Begin to wait; the answer gives the settlement, or None while the fire is open."""
        ...

    async def mount(self, mount: Mount) -> str:
        """Bind code; answers the group that was bound."""
        ...

    async def unmount(self, group: str) -> None: ...
    async def flush(self) -> None:
        """Let everything that can run, run."""
        ...

    async def release(self, key: str, value: object, error: Exception | None) -> bool: ...
    async def tick(self, milliseconds: int) -> None: ...


Opener: TypeAlias = Callable[[Plan], AbstractAsyncContextManager[Driver]]
