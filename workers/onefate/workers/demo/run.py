"""The demo from its first process to its last: set up, play, compare, and clear all away."""

import json
import signal
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from onefate.broker.door import Session, open_session
from onefate.broker.ledger.broker import open_broker
from onefate.broker.ledger.embedded import OwnedServer
from onefate.workers.demo.compare import Compared, compare
from onefate.workers.demo.conversation import CONVERSATION, OPTIONS, PORTS, SESSION
from onefate.workers.demo.crew import gather
from onefate.workers.demo.play import Doors, Facts, Transcript, play
from onefate.workers.demo.screen import Screen
from onefate.workers.demo.stage import Place, set_up
from onefate.workers.mapfile import load_map

SAME: Final = 0
DIFFERENT: Final = 1
ENDED: Final = 143


class SessionDoors:
    """The outside source's door and the person's, in the demo's own process."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def report(self, fire_id: str, source: str, status: str, evidence: str) -> Facts:
        """Say from outside how a fire came to rest."""
        said: dict[str, object] = {"source": source, "status": status, "evidenceRef": evidence}
        return await self._session.observe_effect(fire_id, said)

    async def approve(self, ask_id: str, by: str) -> Facts:
        """Answer a card with yes, as a person."""
        return await self._session.approve(ask_id, by=by)


async def run_demo(screen: Screen) -> int:
    """Play the whole demo; give 0 if every answer was as recorded, and the same from every port.

    Raises:
        MemberFailed: a process did not come up.
        TurnTimedOut: an answer did not come in time.
    """
    code = ENDED
    began = time.monotonic()
    async with anyio.create_task_group() as group:
        group.start_soon(_cancelled_by_signal, group.cancel_scope)
        async with _place(screen) as place:
            transcript, rows = await _played(place, screen)
        screen.transcript(transcript)
        screen.comparison(rows, PORTS)
        faults = [*transcript.faults, *(f"{row.name} differs" for row in rows if not row.equal)]
        screen.verdict(faults, time.monotonic() - began)
        code = DIFFERENT if faults else SAME
        group.cancel_scope.cancel()
    return code


async def _played(place: Place, screen: Screen) -> tuple[Transcript, Sequence[Compared]]:
    async with (
        _doors(place) as doors,
        gather(place.directory, {}) as crew,
        set_up(crew, place) as stage,
    ):
        for name, pid in (await stage.begin()).items():
            screen.step(f"started {name} (pid {pid})")
        transcript = await play(CONVERSATION, stage, doors, screen.turn)
        rows = await compare(transcript, stage, PORTS)
        screen.step("ending every process")
    return transcript, rows


@asynccontextmanager
async def _place(screen: Screen) -> AsyncGenerator[Place, None]:
    """Hold a fresh folder with the map, the options and a private server; none of it is left."""
    with (
        tempfile.TemporaryDirectory(prefix="onefate-") as folder,
        as_file(files("onefate.workers.demo") / "clinic.json") as map_file,
    ):
        directory = Path(folder)
        options = directory / "options.json"
        await anyio.Path(options).write_text(json.dumps(OPTIONS), encoding="utf-8")
        server = OwnedServer(directory / "server")
        await anyio.to_thread.run_sync(server.start)
        screen.step(f"started a private server (pid {server.process_id}) in {directory}")
        try:
            compiled = load_map(map_file)
            yield Place(directory, map_file, compiled, options, server.url)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(server.stop)
    screen.step(f"removed {folder}")


@asynccontextmanager
async def _doors(place: Place) -> AsyncGenerator[Doors, None]:
    async with (
        open_broker(place.url) as broker,
        open_session(broker, SESSION, place.map, OPTIONS, name="demo") as session,
    ):
        yield SessionDoors(session)


async def _cancelled_by_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP) as received:
        async for _ in received:
            scope.cancel()
            return
