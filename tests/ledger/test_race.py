import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import cast

import anyio

from onefate.broker import Broker, performed
from tests.guarantees import proves
from tests.ledger.servers import Backend, needs

pytestmark = proves("settle:first-wins", "answer:one-truth")

ROOT = Path(__file__).parents[2]
FIRES = 10_000
AT_ONCE = 200

Answer = tuple[int, bool, str, int]


async def _racer(url: str, author: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.ledger.racer", url, "s", author, str(FIRES),
        cwd=ROOT, stdin=PIPE, stdout=PIPE,
    )  # fmt: skip


async def _answers(process: Process) -> list[Answer]:
    out, _ = await process.communicate(b"go\n")
    return [cast("Answer", tuple(each)) for each in json.loads(out)]


async def test_two_processes_settle_ten_thousand_fires_once_each(
    broker: Broker, backend: Backend, url: str
) -> None:
    needs(backend, "processes")
    ledger = broker.ledger("s")
    for start in range(0, FIRES, AT_ONCE):
        async with anyio.create_task_group() as group:
            for _ in range(AT_ONCE):
                group.start_soon(ledger.record, "pay")
        assert start < FIRES
    with anyio.fail_after(60):
        racers = [await _racer(url, author) for author in ("one", "two")]
        for racer in racers:
            assert racer.stdout is not None
            assert await racer.stdout.readline() == b"ready\n"
        first, second = await asyncio.gather(*map(_answers, racers))
    assert len(first) == len(second) == FIRES
    for mine, theirs in zip(first, second, strict=True):
        assert mine[1] != theirs[1]
        assert (mine[0], *mine[2:]) == (theirs[0], *theirs[2:])
    assert await ledger.awaiting() == ()
    assert not (await ledger.settle("pay#0", performed(), by="late")).won
