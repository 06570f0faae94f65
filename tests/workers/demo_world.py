"""A stage without processes, for the tests of how a conversation is played."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from onefate.port.lines import LinesClient, connect
from onefate.workers.demo.play import Facts
from tests.workers.lines_world import Json, ScriptedPort, served

SETTLED: Json = {"effectStatus": "performed", "outcome": "committed"}


class PaperPort(ScriptedPort):
    """Answers each tool with what the script says, and tells one fate of every fire."""

    def __init__(self, script: Mapping[str, Json], fate: Json | None) -> None:
        super().__init__()
        self.script = script
        if fate is not None:
            self.fates = {"a#1": fate}

    async def call(self, name: str, args: object = None) -> Mapping[str, object]:
        self.calls.append((name, args))
        return self.script[name.removeprefix("g.")]


class PaperStage:
    """Two ports in this process; the doors say what they are told to say."""

    def __init__(self, clients: Mapping[str, LinesClient]) -> None:
        self._clients = clients
        self.word: Json = {"ok": True, "settled": True}

    def port(self, name: str) -> LinesClient:
        return self._clients[name]

    def tool(self, short: str) -> str:
        return f"g.{short}"

    async def kill_port(self, name: str) -> int:
        del name
        return 1

    async def restart_port(self, name: str) -> int:
        del name
        return 2

    async def report(self, fire_id: str, source: str, status: str, evidence: str) -> Facts:
        del fire_id, source, status, evidence
        return self.word

    async def approve(self, ask_id: str, by: str) -> Facts:
        del ask_id, by
        return self.word


@asynccontextmanager
async def paper_stage(
    where: Path, script: Mapping[str, Json], **fates: Json | None
) -> AsyncGenerator[PaperStage, None]:
    """A stage whose ports A and B each tell their own fate of `a#1`."""
    clients: dict[str, LinesClient] = {}
    async with AsyncExitStack() as stack:
        for name, fate in fates.items():
            folder = where / name
            folder.mkdir()
            address = await stack.enter_async_context(served(PaperPort(script, fate), folder))
            clients[name] = await stack.enter_async_context(connect(address))
        yield PaperStage(clients)
