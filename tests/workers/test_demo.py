"""The demo as a user runs it: real processes, a recorded conversation, and nothing left behind."""

import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from anyio.abc import Process

from onefate.broker.journey import JourneyMap
from onefate.workers.demo.conversation import CONVERSATION, PORTS
from onefate.workers.demo.handlers import HANDLERS
from onefate.workers.demo.turns import MISSING, Call, StillOpen, Wait, differences
from onefate.workers.mapfile import load_map
from tests.guarantees import proves

pytestmark = proves("answer:one-truth", "wait:never-fails", "tools:bytes-stable")

CLINIC = Path(__file__).parents[2] / "workers/onefate/workers/demo/clinic.json"
watching = pytest.mark.skipif(sys.platform != "linux", reason="processes are watched by pidfd")
PID = re.compile(r"\bpid:? (\d+)")
COMMAND = [sys.executable, "-m", "onefate.workers", "demo", "--plain"]
FOLDER = re.compile(r"private server \(pid \d+\) in (\S+)")


@asynccontextmanager
async def demo() -> AsyncGenerator[Process, None]:
    process = await anyio.open_process(COMMAND, stderr=None)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.aclose()


async def read(process: Process, until: str | None = None) -> str:
    """What the demo writes, up to its end or to the first sight of `until`."""
    assert process.stdout is not None
    text = ""
    with anyio.fail_after(60):
        async for part in process.stdout:
            text += part.decode()
            if until is not None and until in text:
                break
    return text


async def gone(shown: str) -> None:
    """Wait until every process that the demo named is no more, and see that its folder is not."""
    await all_ended(shown)
    assert not await anyio.Path(FOLDER.findall(shown)[0]).exists()


async def all_ended(shown: str) -> None:
    pids = [int(pid) for pid in PID.findall(shown)]
    assert len(pids) >= 5
    with anyio.fail_after(20):
        for pid in pids:
            await ended(pid)


async def ended(pid: int) -> None:
    """Return once the process has ended, whoever its parent is."""
    assert sys.platform == "linux"
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        await anyio.wait_readable(watched)
    finally:
        os.close(watched)


@watching
async def test_the_demo_plays_to_the_end_and_leaves_nothing() -> None:
    async with demo() as process:
        shown = await read(process)
        assert await process.wait() == 0, shown
    assert "Every fire has one fate" in shown
    assert "NO" not in shown.split("The same answer from ports")[1]
    assert shown.isascii()
    await gone(shown)


@watching
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_an_interrupted_demo_leaves_nothing(sent: signal.Signals, code: int) -> None:
    async with demo() as process:
        shown = await read(process, until="when_settled(find)")
        process.send_signal(sent)
        shown += await read(process)
        assert await process.wait() == code
    assert "Traceback" not in shown
    await gone(shown)


@watching
async def test_a_demo_that_nobody_reads_leaves_nothing() -> None:
    reading, writing = os.pipe()
    process = await anyio.open_process(COMMAND, stdout=writing, stderr=None)
    os.close(writing)
    shown = ""
    with anyio.fail_after(60):
        while "worker two" not in shown:
            await anyio.wait_readable(reading)
            shown += os.read(reading, 4096).decode()
        os.close(reading)
        assert await process.wait() == 141
    await process.aclose()
    await gone(shown)


@watching
async def test_a_killed_demo_leaves_no_process() -> None:
    async with demo() as process:
        shown = await read(process, until="when_settled(find)")
        process.kill()
        await process.wait()
    await all_ended(shown)
    await anyio.to_thread.run_sync(shutil.rmtree, FOLDER.findall(shown)[0])


def clinic() -> JourneyMap:
    return load_map(CLINIC)


def test_the_clinic_is_a_whole_app() -> None:
    compiled = clinic()
    assert len(compiled.pages) >= 3
    assert len(compiled.actions) >= 12
    assert len(compiled.journeys) == 2
    assert any(action.high_effect for action in compiled.actions.values())
    assert set(HANDLERS) == set(compiled.actions)


def test_the_ports_take_turns_and_every_wait_crosses_over() -> None:
    fired_by = {turn.fire: turn.via for turn in CONVERSATION if isinstance(turn, Call)}
    waits = [turn for turn in CONVERSATION if isinstance(turn, Wait)]
    crossing = [turn for turn in waits if fired_by[turn.fire] != turn.via]
    assert len(crossing) == len(waits) - 1  # the killed port's question stays where it was fired
    asked = {turn.via for turn in CONVERSATION if isinstance(turn, Call | Wait | StillOpen)}
    assert asked == set(PORTS)


@pytest.mark.parametrize(
    ("expected", "given", "found"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, []),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b is 2, not 1"]),
        ({"a": MISSING}, {"a": None}, ["a should be absent"]),
        ({"a": MISSING}, {}, []),
        ({"a": 1}, {}, ["a is absent, not 1"]),
        ({"a": 1}, {"a": True}, ["a is True, not 1"]),
        ({"a": 1}, None, ["the answer is None, not an object"]),
        (None, None, []),
        (None, {"ok": True}, ["the answer is {'ok': True}, not None"]),
    ],
)
def test_what_is_not_as_recorded_is_named(
    expected: object, given: object, found: list[str]
) -> None:
    assert differences(expected, given) == found
