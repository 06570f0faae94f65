"""Twenty ports in five processes act at random; there is a serial order that the core accepts."""

import os
from collections import Counter
from collections.abc import Sequence
from typing import cast

import anyio
import pytest

from tests.door.histories import WIRE, Entry, decision, replayed
from tests.door.processes import together
from tests.door.world import door
from tests.guarantees import proves

SECONDS = 60 if os.environ.get("CI") else 8
PROCESSES = 5
PORTS = 4

pytestmark = pytest.mark.timeout(SECONDS * 3 + 120)


@proves("answer:one-truth", "fire:atomic", "settle:immutable", "settle:first-wins")
async def test_what_twenty_ports_did_has_a_serial_order(shared_url: str) -> None:
    async with door(shared_url, "history") as session:
        wired = await session.decided(decision(WIRE))
        rows = [
            (shared_url, "history", str(seed), str(PORTS), str(SECONDS))
            for seed in range(1, PROCESSES + 1)
        ]
        with anyio.fail_after(SECONDS * 2 + 60):
            said = await together("tests.door.wanderer", *rows)
        transitions = await session.transitions()
        version = await session.version()
    entries = [Entry.read(row) for each in said for row in cast("list[list[object]]", each)]
    entries.append(Entry(wired.revision, wrote=True, now=wired.now, command=WIRE, answer=None))

    revisions = Counter(entry.revision for entry in entries if entry.wrote)
    assert max(revisions.values()) == 1, "two commits stand at one revision"
    assert sorted(revisions) == list(range(2, len(revisions) + 2)), "a commit is missing"
    wrong = replayed(entries)
    assert not wrong, f"{len(wrong)} of {len(entries)} answers have no place: {wrong[0]}"
    assert _fates_that_changed(entries) == []
    numbers = [int(row["id"].rpartition("#")[2]) for row in transitions]
    assert numbers == list(range(len(numbers)))
    assert version >= len(numbers)
    assert len(entries) > SECONDS * 50


def _fates_that_changed(entries: Sequence[Entry]) -> list[str]:
    """The fires of which two readers were told different fates."""
    told: dict[str, set[str]] = {}
    for entry in entries:
        facts = cast("dict[str, object] | None", entry.answer)
        if entry.command["do"] == "facts" and facts is not None:
            fate = f"{facts['effectStatus']} {facts['outcome']}"
            told.setdefault(str(entry.command["id"]), set()).add(fate)
    return [fire for fire, fates in told.items() if len(fates) > 1]
