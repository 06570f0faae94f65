"""The commands of the compose file as processes: one port takes an order, both tell its fate."""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

from onefate.port.lines import connect, parse_address
from tests.layout.deployed import door, services
from tests.layout.tree import ROOT

READY = "ready "


@asynccontextmanager
async def started(name: str, socket: str) -> AsyncGenerator[str]:
    """A service of the compose file as a process, once it serves; gives where."""
    words = [
        word.replace("/srv/app", str(ROOT / "deploy/app")).replace("0.0.0.0:8400", "127.0.0.1:0")
        for word in services()[name].get("command", [])
    ]
    command = [sys.executable, "-m", "onefate.workers", *words]
    environment = {
        **os.environ,
        "ONEFATE_URL": door(socket, name[:-2]),
        "PYTHONPATH": str(ROOT / "deploy/app"),
    }
    async with await anyio.open_process(command, env=environment, stderr=None) as process:
        try:
            yield await ready(process)
        finally:
            process.terminate()


async def ready(process: Process) -> str:
    """Where a process says that it serves."""
    said = ""
    assert process.stdout is not None
    async for text in TextReceiveStream(process.stdout):
        said += text
        if said.endswith("\n"):
            break
    assert said.startswith(READY), said
    return said.removeprefix(READY).strip()


async def test_the_composed_processes_bring_an_order_to_rest(socket: str) -> None:
    with anyio.fail_after(60):
        async with AsyncExitStack() as stack:
            where = {
                name: await stack.enter_async_context(started(name, socket))
                for name in ("worker-1", "worker-2", "port-1", "port-2")
            }
            first, second = [
                await stack.enter_async_context(connect(parse_address(where[name])))
                for name in ("port-1", "port-2")
            ]
            assert await first.tools() == await second.tools()
            placed = await first.call("shop.do_action", {"action": "place-order"})
            assert placed["ok"] is True
            fire = str(placed["transitionId"])
            settled = await second.when_settled(fire)
            facts = await first.settled_answer(fire)
            assert facts is not None
            assert settled["effectStatus"] == facts["effectStatus"] == "performed"
            assert facts["data"] == {"order": 41}
