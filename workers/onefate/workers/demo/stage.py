"""The stage of the demo: two port processes and two worker processes."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import TaskGroup, TaskStatus

from onefate.broker.journey import JourneyMap
from onefate.port.lines import LinesClient, UnixAddress, connect
from onefate.workers.demo.conversation import PORTS, QUEUE, SESSION, WORKERS
from onefate.workers.demo.crew import Crew, Member

HANDLERS = "onefate.workers.demo.handlers:HANDLERS"


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything of one demo is: its files, its map, and its server."""

    directory: Path
    map_file: Path
    map: JourneyMap
    options_file: Path
    url: str

    def shared(self, name: str) -> tuple[str, ...]:
        """Give the arguments that every process takes."""
        return (
            "--name", name, "--session", SESSION, "--map", str(self.map_file),
            "--options", str(self.options_file), "--url", self.url,
        )  # fmt: skip


class ProcessStage:
    """Ports that are processes of their own; any may be killed and replaced."""

    def __init__(self, crew: Crew, place: Place, group: TaskGroup) -> None:
        self._crew = crew
        self._place = place
        self._group = group
        self._members: dict[str, Member] = {}
        self._clients: dict[str, LinesClient] = {}

    async def begin(self) -> Mapping[str, int]:
        """Start every process; give their pids by name.

        Raises:
            MemberFailed: one did not become ready.
        """
        async with anyio.create_task_group() as group:
            for name in WORKERS:
                group.start_soon(self._start_worker, name)
            for name in PORTS:
                group.start_soon(self._start_port, name)
        return {name: member.process.pid for name, member in sorted(self._members.items())}

    def port(self, name: str) -> LinesClient:
        """Give the port of that name."""
        return self._clients[name]

    def tool(self, short: str) -> str:
        """Give a tool's whole name, as the map's port encodes it."""
        return f"{self._place.map.id}.{short}"

    async def kill_port(self, name: str) -> int:
        """Kill the port's process with SIGKILL; give its pid."""
        member = self._members[f"port {name}"]
        await member.kill()
        return member.process.pid

    async def restart_port(self, name: str) -> int:
        """Start a new process in the port's place; give its pid."""
        await self._start_port(name)
        return self._members[f"port {name}"].process.pid

    async def _start_worker(self, name: str) -> None:
        arguments = ("--handlers", HANDLERS, "--queue", QUEUE)
        started = await self._crew.start("worker", *self._place.shared(name), *arguments)
        self._members[f"worker {name}"] = started

    async def _start_port(self, name: str) -> None:
        address = UnixAddress(str(self._place.directory / f"port-{name}.sock"))
        shared = self._place.shared(name)
        started = await self._crew.start("port", *shared, "--listen", str(address))
        self._members[f"port {name}"] = started
        self._clients[name] = await self._group.start(_hold, address)


@asynccontextmanager
async def set_up(crew: Crew, place: Place) -> AsyncGenerator[ProcessStage, None]:
    """Hold a stage whose connections are closed afterwards."""
    async with anyio.create_task_group() as group:
        try:
            yield ProcessStage(crew, place, group)
        finally:
            group.cancel_scope.cancel()


async def _hold(address: UnixAddress, *, task_status: TaskStatus[LinesClient]) -> None:
    async with connect(address) as client:
        task_status.started(client)
        await anyio.sleep_forever()
