"""The scenarios that are kept here, played on real sessions behind three doors that take turns."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.conformance import redis
from tests.conformance.__main__ import lines
from tests.conformance.player import play
from tests.conformance.scenario import scenarios
from tests.guarantees import proves
from tests.servers import embedded_server

HERE = Path(__file__).parent
KEPT = tuple(scenarios([HERE / "own", HERE / "scenarios"]))


@pytest.fixture
def url() -> Generator[str]:
    with embedded_server() as server:
        yield server.url


@proves("answer:one-truth", "fire:atomic")
async def test_whichever_door_takes_a_step_the_answer_is_the_recorded_one(url: str) -> None:
    failed: list[str] = []
    async with redis.doors(url, 3) as opener:
        for scenario in KEPT:
            outcome = await play(scenario, opener)
            if not outcome.met:
                failed += lines(outcome, every=True)
    assert not failed, "\n".join(failed)
