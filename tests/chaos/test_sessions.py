"""Three ports and a worker act at random while connections are cut and the server is killed twice.

Afterwards there is a serial order of all they did that the machine alone accepts, no commit is
missing in it, every wait has ended, and every fire has one fate whoever is asked.
"""

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import TypedDict, cast

import anyio
import anyio.to_thread
import pytest

from onefate.broker.door import Session
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.ids import EPOCH
from onefate.port import serve_to_agent
from tests.chaos.children import Child, child
from tests.chaos.killing import killing
from tests.chaos.places import shop
from tests.chaos.wandering import Written
from tests.door.histories import WIRE, Entry, replayed
from tests.guarantees import proves

SECONDS = 24.0 if os.environ.get("CI") else 6.0
PORTS = 3
KILLS = 2

pytestmark = pytest.mark.timeout(240)


class Said(TypedDict):
    """What a process says at its end."""

    history: list[list[object]]
    fates: dict[str, object]


@proves("answer:one-truth", "fire:atomic", "settle:immutable", "wait:never-fails")
@proves("wait:no-lost-wakeup", "id:never-reused", "settle:lost-reply")
async def test_one_truth_through_cut_connections_and_killed_servers(server: OwnedServer) -> None:
    async with shop(server.url, "s") as session:
        own = Written(session)
        await own.do(WIRE)
        with anyio.fail_after(SECONDS * 3 + 90):
            said = await _wandered(server, own)
        entries = [Entry.read(row) for each in said for row in each["history"]]
        entries += [Entry.read(cast("list[object]", row)) for row in own.history]
        _in_one_order(entries)
        await _one_fate(server, session, [each["fates"] for each in said])
    assert len(entries) > SECONDS * 20


async def _wandered(server: OwnedServer, own: Written) -> list[Said]:
    """Let everybody act, break what there is, settle what is left, and hear them all."""
    kinds = [*["port"] * PORTS, "worker"]
    async with AsyncExitStack() as stack:
        every = [
            await stack.enter_async_context(
                child("tests.chaos.wandering", server.url, "s", str(seed), kind, str(SECONDS))
            )
            for seed, kind in enumerate(kinds, 1)
        ]
        for each in every:
            assert await each.said() == "ready"
        async with killing(server.url, "everybody") as kills:
            for each in every:
                await each.tell("go")
            for _ in range(KILLS):
                await anyio.sleep(SECONDS / (KILLS + 1))
                await anyio.to_thread.run_sync(server.kill)
                await anyio.to_thread.run_sync(server.start)
            for port in every[:PORTS]:
                assert await port.said() == "waiting"
            await _settle_the_rest(own)
            said = [await port.said() for port in every[:PORTS]]
            said.append(await _ended(every[PORTS]))
        assert kills.rounds > KILLS
    return cast("list[Said]", said)


async def _settle_the_rest(own: Written) -> None:
    while waiting := await own.session.awaiting_settlement():
        for fire_id in waiting:
            await own.do({"do": "observe", "id": fire_id, "status": "performed"})


async def _ended(worker: Child) -> object:
    worker.tell_no_more()
    return await worker.said()


def _in_one_order(entries: Sequence[Entry]) -> None:
    revisions = Counter(entry.revision for entry in entries if entry.wrote)
    assert max(revisions.values()) == 1, "two commits stand at one revision"
    for epoch in range(KILLS + 1):
        numbers = sorted(each % EPOCH for each in revisions if each // EPOCH == epoch)
        first = 1 if epoch else 2
        assert numbers == list(range(first, first + len(numbers))), "a commit is missing"
        assert numbers
    wrong = replayed(entries)
    assert not wrong, f"{len(wrong)} of {len(entries)} answers have no place: {wrong[0]}"


async def _one_fate(
    server: OwnedServer, session: Session, told: Sequence[dict[str, object]]
) -> None:
    ids = sorted(set[str]().union(*told))
    assert len(ids) > KILLS
    async with shop(server.url, "s") as other:
        ports = serve_to_agent(session), serve_to_agent(other)
        for fire_id in ids:
            receipts = [each[fire_id] for each in told if fire_id in each]
            receipts.append(await other.when_settled(fire_id))
            assert all(receipt == receipts[0] for receipt in receipts), fire_id
            facts = [await port.settled_answer(fire_id) for port in ports]
            assert facts[0] == facts[1], fire_id
            assert facts[0] is not None
