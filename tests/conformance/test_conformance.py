"""The recorded scenarios, played on the pure machine, and those of our own.

All recorded ones where they are at hand (`ONEFATE_CONFORMANCE`, or `shared/conformance` beside the
checkout), else the sample that is kept here. Our own in `own/` answer what the specification says
and no recorded scenario shows.
"""

import os
from pathlib import Path

import pytest

from tests.conformance import core
from tests.conformance.__main__ import lines
from tests.conformance.player import play
from tests.conformance.scenario import files, read
from tests.guarantees import proves

HERE = Path(__file__).parent
BESIDE = HERE.parents[2] / "shared" / "conformance"


def directory() -> Path:
    """Where the scenarios are."""
    named = os.environ.get("ONEFATE_CONFORMANCE")
    if named:
        return Path(named)
    return BESIDE if BESIDE.is_dir() else HERE / "scenarios"


@proves("answer:three", "answer:absent-not-filled", "answer:one-truth")
@pytest.mark.parametrize("path", files([directory(), HERE / "own"]), ids=lambda path: path.stem)
async def test_a_scenario_is_answered_as_recorded(path: Path) -> None:
    outcome = await play(read(path), core.opened)
    assert outcome.met, "\n".join(lines(outcome, every=True))


@proves("answer:one-truth")
async def test_a_difference_is_told_with_its_place() -> None:
    path = next(iter(sorted((HERE / "scenarios").rglob("*.json"))))
    scenario = read(path)
    spoiled = read(path)
    object.__setattr__(spoiled, "expect", ({"ok": "never"}, *scenario.expect[1:]))
    object.__setattr__(spoiled, "departs", None)
    outcome = await play(spoiled, core.opened)
    assert not outcome.met
    assert outcome.mismatches[0].step == 0
    assert "FAIL" in lines(outcome, every=False)[0]
