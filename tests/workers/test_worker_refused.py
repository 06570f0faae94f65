"""A store that refuses for the moment costs a worker nothing but time: no handler, no outcome."""

import asyncio
from collections.abc import Mapping, Sequence

import anyio
import pytest

from onefate.broker.errors import OnefateError
from onefate.broker.ledger.changes import Entry
from onefate.broker.ledger.claims import Claim
from onefate.broker.ledger.errors import PermissionDenied, ServerFull
from onefate.workers import Handler, HandlersByAction, Worker
from tests.guarantees import proves

pytestmark = proves("fire:started-once")
FULL = ServerFull("OOM")


class Scripted:
    """A queue of one fire and its door; each refuses as often as it is told to, and notes calls."""

    worker = "w"

    def __init__(self, **refusals: Sequence[OnefateError]) -> None:
        self.calls: list[str] = []
        self.beaten = anyio.Event()
        self.ended = anyio.Event()
        self.error: Exception | None = None
        self._refusals = {name: list(errors) for name, errors in refusals.items()}
        self._entries = [Entry("q", 0, "1-0", "s", "pay#0")]

    async def wait(self) -> None:
        await anyio.sleep_forever()

    async def take(self, limit: int = 16) -> Sequence[Entry]:
        assert limit
        self._called("take")
        entries, self._entries = self._entries, []
        return entries

    async def claim(self, entry: Entry) -> Claim:
        self._called("claim")
        return Claim(entry, 1, "agent", 0, None, repeatable=False)

    def release(self, entry: Entry) -> None:
        self.calls.append(f"released {entry.fire_id}")

    async def beat(self, claim: Claim) -> bool:
        assert claim.fire_id == "pay#0"
        try:
            self._called("beat")
        finally:
            if self.calls.count("beat") > 1:
                self.beaten.set()
        return True

    async def returned(self, claim: Claim, value: object) -> None:
        assert (claim.fire_id, value) == ("pay#0", "paid")
        self._called("returned")
        self.ended.set()

    async def threw(self, claim: Claim, error: Exception) -> None:
        assert claim.fire_id == "pay#0"
        self._called("threw")
        self.error = error
        self.ended.set()

    async def report(self, claim: Claim, delta: Mapping[str, object]) -> object:
        raise AssertionError((claim, delta))

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if left := self._refusals.get(name):
            raise left.pop(0)


async def performed(scripted: Scripted, handler: Handler, *, beats: float = 10) -> None:
    """Run a worker until the fire's outcome has been taken."""
    worker = Worker(
        scripted, scripted, HandlersByAction({"pay": handler}),
        beat_seconds=beats, pause_seconds=0.001,
    )  # fmt: skip
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(worker.run)
            await scripted.ended.wait()
            worker.drain()


async def pay(_: object) -> str:
    return "paid"


async def test_work_is_read_again_from_a_store_that_was_full() -> None:
    scripted = Scripted(take=[FULL, FULL])
    await performed(scripted, pay)
    assert scripted.calls[:3] == ["take", "take", "take"]
    assert scripted.error is None


async def test_an_outcome_is_told_until_the_store_takes_it() -> None:
    scripted = Scripted(returned=[FULL, FULL])
    await performed(scripted, pay)
    assert scripted.calls.count("returned") == 3
    assert scripted.calls.count("claim") == 1
    assert scripted.calls[-1] == "released pay#0"


async def test_a_beat_that_is_refused_ends_no_handler() -> None:
    scripted = Scripted(beat=[FULL, PermissionDenied("NOPERM")])

    async def long(_: object) -> str:
        await scripted.beaten.wait()
        return "paid"

    await performed(scripted, long, beats=0.001)
    assert scripted.error is None


async def test_a_refusal_that_waiting_does_not_mend_ends_the_worker() -> None:
    scripted = Scripted(take=[PermissionDenied("NOPERM")])
    with pytest.RaisesGroup(pytest.RaisesGroup(PermissionDenied)):
        await Worker(scripted, scripted, HandlersByAction({})).run()


async def test_a_handler_that_cancels_itself_has_failed() -> None:
    async def gives_up(_: object) -> object:
        awaited: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        awaited.cancel()
        return await awaited

    scripted = Scripted()
    await performed(scripted, gives_up)
    assert isinstance(scripted.error, OnefateError)
    assert scripted.error.code == "HANDLER_CANCELLED"
