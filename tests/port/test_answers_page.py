"""docs/answers.md tells every key that a port can say, and no other."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import cast

import anyio
import pytest

from onefate.broker import open_broker
from onefate.broker.door import open_session
from onefate.port import serve_to_agent
from onefate.port.refusals import TOLD
from tests.conformance.core import CoreDriver
from tests.conformance.driver import Plan
from tests.conformance.player import play
from tests.conformance.scenario import files, read, table
from tests.conformance.test_conformance import directory
from tests.guarantees import proves
from tests.port import answers_page, rich
from tests.port.stage import MAP
from tests.servers import embedded_server

pytestmark = proves("answer:absent-not-filled", "answer:one-truth")

WORDS = answers_page.WORDS


class Collecting(CoreDriver):
    """Keeps the settlements of a scenario when it ends."""

    settled: list[object]

    def close(self) -> None:
        self.settled += self._session.snapshot.tables.get("receipts", {}).values()
        super().close()


async def recorded() -> tuple[set[str], set[str]]:
    """What the recorded conversations say: the keys of answers, and those of settlements."""
    settled = list[object]()
    said = set[str]()

    @asynccontextmanager
    async def opened(plan: Plan) -> AsyncGenerator[CoreDriver]:
        driver = Collecting(plan)
        driver.settled = settled
        try:
            yield driver
        finally:
            driver.close()

    for path in files([directory()]):
        outcome = await play(read(path), opened)
        for step, answer in zip(outcome.scenario.steps, outcome.answers, strict=False):
            if step["op"] == "call" and "skipped" not in table(answer):
                said |= heard(answer)
    return said, {path for one in settled for path in _settled_keys(one)}


def heard(answer: object) -> set[str]:
    """The keys of an answer, and its words for programs."""
    words = cast("dict[str, object]", answer)
    said = {str(words[key]) for key in ("judgment", "reason") if key in words}
    return {*answers_page.spoken(answer), *said}


def _settled_keys(settlement: object) -> set[str]:
    """The keys of a settlement; what is inside its error is told by the sentence on `error`."""
    return {path for path in answers_page.spoken(settlement) if not path.startswith("error.")}


def worded(*tables: str) -> set[str]:
    return {path for name in tables for path in WORDS[name]}


def test_every_declared_key_is_told_and_no_other() -> None:
    loose = worded("types")
    assert answers_page.declared_by_calls().keys() == worded("call", "shared") - (
        loose - answers_page.declared_by_calls().keys()
    )
    settled = answers_page.declared_by_settlements().keys()
    assert {path for path in settled if not path.startswith("condition.")} == worded(
        "settlement"
    ) - (loose - settled)


@pytest.fixture
def url() -> Iterator[str]:
    with embedded_server() as server:
        yield server.url


async def test_every_key_that_is_said_is_told_and_every_other_has_its_reason(url: str) -> None:
    said, settled = await recorded()
    for answer in rich.answers():
        said |= heard(answer)
    for settlement in rich.settlements():
        settled |= _settled_keys(settlement)
    said |= await in_flight(url)
    assert sorted(said - worded("call", "shared", "judgment", "reason")) == []
    assert sorted(worded("call", "shared", "judgment", "reason") - said - worded("unseen")) == []
    assert sorted(settled - worded("settlement", "shared")) == []
    assert sorted(worded("settlement") - settled - worded("unseen")) == []
    assert sorted(worded("unseen") & (said | settled)) == []


async def in_flight(url: str) -> set[str]:
    """What a port says of a fire that a worker has started."""
    started, go = anyio.Event(), anyio.Event()

    async def handler(_: object) -> None:
        started.set()
        await go.wait()

    with anyio.fail_after(20):
        async with open_broker(url) as broker, open_session(broker, "s", MAP) as session:
            await session.register_handlers("app", {"a.n": handler})
            port = serve_to_agent(session)
            fire = (await port.call("g.do_action", {"action": "n"}))["transitionId"]
            await started.wait()
            told = await port.call("g.did_it_work", {"transitionId": fire})
            go.set()
    assert told["judgment"] == "still-pending"
    return heard(told)


def test_every_refusal_that_has_facts_is_told() -> None:
    assert TOLD.keys() <= WORDS["reason"].keys()


@pytest.mark.parametrize("shape", answers_page.shapes(), ids=lambda shape: shape.__name__)
def test_no_shape_declares_a_null(shape: type) -> None:
    for path, hint in answers_page.declared(shape):
        if path.rpartition(".")[2] not in answers_page.APPS_OWN:
            assert "NoneType" not in str(hint), path
