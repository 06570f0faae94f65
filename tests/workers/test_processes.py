"""The deployment as plain processes: a server with users, two ports, two workers, over TCP."""

import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import anyio
import anyio.to_thread
import pytest

from onefate.broker.ledger.broker import open_broker
from onefate.broker.ledger.embedded import OwnedServer
from onefate.port.lines import LinesClient, connect, parse_address
from onefate.workers.cli import entry
from onefate.workers.demo.conversation import OPTIONS
from onefate.workers.demo.crew import Crew, Member, gather
from onefate.workers.handlers import load_handlers
from tests.guarantees import proves
from tests.layout.tree import ROOT
from tests.servers import embedded_server

CLINIC = ROOT / "workers/onefate/workers/demo/clinic.json"
HANDLERS = "tests.workers.held_handlers:HANDLERS"
Answer = Mapping[str, object]


@pytest.fixture(scope="module")
def guarded() -> Iterator[OwnedServer]:
    """A server that knows the users of the deployment and nobody else."""
    users = {"aclfile": str(ROOT / "deploy/dev/users.acl")}
    with embedded_server("redis", tcp=True, config=users) as server:
        yield server


@dataclass
class Deployment:
    """Processes of one session, each with the rights of its own user."""

    crew: Crew
    server: OwnedServer
    session: str
    options: Path

    def url(self, user: str) -> str:
        return f"redis://{user}:development-only-{user}@127.0.0.1:{self.server.port}/0"

    def arguments(self, user: str, name: str) -> list[str]:
        return [
            "--map", str(CLINIC), "--session", self.session, "--options", str(self.options),
            "--name", name, "--url", self.url(user),
        ]  # fmt: skip

    async def worker(self, name: str) -> Member:
        return await self.crew.start(
            "worker", *self.arguments("worker", name), "--handlers", HANDLERS
        )

    async def port(self, name: str, held: AsyncExitStack) -> LinesClient:
        arguments = [*self.arguments("port", name), "--listen", "tcp:127.0.0.1:0"]
        member = await self.crew.start("port", *arguments)
        return await held.enter_async_context(connect(parse_address(member.said)))


@asynccontextmanager
async def deployment(
    server: OwnedServer, where: Path, session: str
) -> AsyncGenerator[Deployment, None]:
    options = where / "options.json"
    await anyio.Path(options).write_text(json.dumps(OPTIONS), encoding="utf-8")
    environment = {"PYTHONPATH": str(ROOT), "HELD_BY": str(where / "pipe")}
    async with gather(where, environment) as crew:
        yield Deployment(crew, server, session, options)


async def fired(port: LinesClient, action: str, **options: object) -> str:
    answer = await port.call("clinic.do_action", {"action": action, **options})
    assert answer["ok"] is True, answer
    return str(answer["transitionId"])


async def evidence(port: LinesClient, fire_id: str) -> Answer:
    """What is known of a fire in flight, once somebody has started it."""
    with anyio.fail_after(20):
        while True:
            answer = await port.call("clinic.did_it_work", {"transitionId": fire_id})
            known = answer.get("evidence")
            if isinstance(known, dict) and "startedBy" in known:
                return cast("Answer", known)


async def settled(port: LinesClient, fire_id: str) -> Answer:
    with anyio.fail_after(20):
        return await port.when_settled(fire_id)


@proves("answer:one-truth", "tools:bytes-stable", "fire:started-once", "store:honest")
async def test_two_ports_and_two_workers_tell_one_truth(
    guarded: OwnedServer, tmp_path: Path
) -> None:
    async with deployment(guarded, tmp_path, "truth") as deployed, AsyncExitStack() as held:
        first, second = [await deployed.port(f"port-{each}", held) for each in (1, 2)]
        workers = [await deployed.worker(f"worker-{each}") for each in (1, 2)]
        fire = await fired(first, "find-patient", input={"query": "Ada"})
        assert (await settled(second, fire))["effectStatus"] == "performed"
        assert await first.tools() == await second.tools()
        assert await first.settled_answer(fire) == await second.settled_answer(fire)
        workers[0].process.send_signal(signal.SIGTERM)
        with anyio.fail_after(20):
            assert await workers[0].process.wait() == 0
        again = await fired(second, "go-to-desk")
        assert (await settled(first, again))["effectStatus"] == "performed"


@proves("fire:started-once", "settle:no-clock")
async def test_a_killed_worker_leaves_the_fire_open_with_its_evidence(
    guarded: OwnedServer, tmp_path: Path
) -> None:
    async with deployment(guarded, tmp_path, "killed") as deployed, AsyncExitStack() as held:
        port = await deployed.port("port-1", held)
        worker = await deployed.worker("worker-1")
        await settled(port, await fired(port, "find-patient", input={"query": "Ada"}))
        fire = await fired(port, "ask-insurer")
        assert (await evidence(port, fire))["startedBy"] == "worker-1"
        await worker.kill()
        other = await deployed.worker("worker-2")
        await settled(port, await fired(port, "go-to-desk"))
        known = await evidence(port, fire)
        assert (known["startedBy"], known["attempt"]) == ("worker-1", 1)
        assert other.process.returncode is None
        assert await port.settled_answer(fire) is None


@proves("fire:started-once")
async def test_a_worker_told_to_end_finishes_what_it_runs(
    guarded: OwnedServer, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    async with deployment(guarded, tmp_path, "drained") as deployed, AsyncExitStack() as held:
        port = await deployed.port("port-1", held)
        worker = await deployed.worker("worker-1")
        fire = await fired(port, "read-waiting-list")
        await evidence(port, fire)
        worker.process.send_signal(signal.SIGTERM)
        with anyio.fail_after(20):
            await anyio.to_thread.run_sync(pipe.write_bytes, b"finished")
            assert await worker.process.wait() == 0
        assert (await settled(port, fire))["effectStatus"] == "performed"
        facts = await port.settled_answer(fire)
        assert facts is not None
        assert facts["data"] == "finished"


@proves("store:honest")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
async def test_a_port_ends_in_good_order(
    guarded: OwnedServer, tmp_path: Path, sent: signal.Signals, code: int
) -> None:
    async with deployment(guarded, tmp_path, "ended") as deployed:
        arguments = deployed.arguments("port", "port-1")
        address = f"unix:{tmp_path}/p.sock"
        member = await deployed.crew.start("port", *arguments, "--listen", address)
        member.process.send_signal(sent)
        with anyio.fail_after(20):
            assert await member.process.wait() == code
        assert not await anyio.Path(tmp_path / "p.sock").exists()
        assert await anyio.Path(tmp_path / "port-1.log").read_text("utf-8") == ""


@proves("tools:bytes-stable")
async def test_a_port_on_another_map_is_refused_by_name(
    guarded: OwnedServer, tmp_path: Path
) -> None:
    other = json.loads(await anyio.Path(CLINIC).read_text("utf-8"))
    other["def"]["does"] = "Another app"
    changed = tmp_path / "other.json"
    await anyio.Path(changed).write_text(json.dumps(other), encoding="utf-8")
    async with deployment(guarded, tmp_path, "pinned") as deployed, AsyncExitStack() as held:
        await deployed.port("port-1", held)
        arguments = deployed.arguments("port", "port-2")
        arguments[1] = str(changed)
        refused = await anyio.run_process(
            [
                sys.executable,
                "-m",
                "onefate.workers",
                "port",
                *arguments,
                "--listen",
                "tcp:127.0.0.1:0",
            ],
            check=False,
        )
    assert refused.returncode == 2
    assert refused.stderr.decode().endswith("[WRONG_PINS]\n")


@proves("store:honest")
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("no-colon", "write module:attribute"),
        ("no.such.module:thing", "put the folder it is in on PYTHONPATH"),
        ("json:nothing", "must be a mapping"),
        ("json:dumps", "must be a mapping"),
        ("os:environ", "does not name a function"),
    ],
)
def test_handlers_that_are_none_are_said_so(
    name: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["worker", "--map", str(CLINIC), "--session", "s", "--name", "w"]
    assert entry.run([*command, "--handlers", name]) == 2
    shown = capsys.readouterr().err
    assert problem in shown
    assert shown.endswith("[BAD_HANDLERS]\n")


@proves("store:honest")
def test_handlers_are_found_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop_floor.py").write_text("HANDLERS = {'shelf.take': print}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    monkeypatch.delitem(sys.modules, "shop_floor", raising=False)
    assert list(load_handlers("shop_floor:HANDLERS")) == ["shelf.take"]


@proves("answer:one-truth")
async def test_a_process_without_options_takes_those_the_session_has(
    guarded: OwnedServer, tmp_path: Path
) -> None:
    async with deployment(guarded, tmp_path, "attached") as deployed, AsyncExitStack() as held:
        first = await deployed.port("port-1", held)
        without = deployed.arguments("port", "port-2")
        del without[4:6]
        member = await deployed.crew.start("port", *without, "--listen", "tcp:127.0.0.1:0")
        second = await held.enter_async_context(connect(parse_address(member.said)))
        assert await first.tools() == await second.tools()
    async with open_broker(deployed.url("port")) as broker:
        assert await broker.pins("attached") is not None
