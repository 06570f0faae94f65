"""A worker on a plain ledger: each fire's handler is started at most once, and its end is told."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from onefate import workers
from onefate.broker.errors import BadInput
from onefate.broker.ledger.broker import Broker, open_broker
from onefate.broker.ledger.models import refused
from onefate.broker.ledger.settings import BrokerSettings
from onefate.broker.ledger.work import Queue
from onefate.workers import (
    Handler,
    HandlersByAction,
    LedgerDoor,
    Worker,
    current,
    report,
    report_from_thread,
)
from tests.guarantees import proves

pytestmark = proves("fire:started-once", "settle:first-wins")

QUEUE = "q"


def worker_on(
    broker: Broker,
    queue: Queue,
    handlers: Mapping[str, Handler],
    *,
    concurrency: int = 4,
    beat_seconds: float = 10,
) -> Worker:
    """A worker on an open queue, under the queue's name."""
    return Worker(
        queue,
        LedgerDoor(broker, queue.worker),
        HandlersByAction(handlers),
        concurrency=concurrency,
        beat_seconds=beat_seconds,
    )


@asynccontextmanager
async def working(
    broker: Broker, handlers: Mapping[str, Handler], *, name: str = "w1"
) -> AsyncGenerator[Worker, None]:
    """A worker that is drained at the end of the block."""
    async with broker.queue(QUEUE, name) as queue:
        worker = worker_on(broker, queue, handlers)
        async with anyio.create_task_group() as group:
            await group.start(worker.run)
            try:
                yield worker
            finally:
                worker.drain()


async def test_what_a_handler_returns_is_the_settlement(broker: Broker) -> None:
    async def double(payload: object) -> object:
        assert isinstance(payload, int)
        return {"twice": 2 * payload}

    ledger = broker.ledger("s")
    async with working(broker, {"double": double}):
        fire = await ledger.record("double", 21, queue=QUEUE)
        with anyio.fail_after(5):
            settled = await ledger.when_settled(fire.id)
    assert (settled.status, settled.data, settled.by) == ("performed", {"twice": 42}, "w1")


async def test_a_handler_that_fails_refuses_its_fire(broker: Broker) -> None:
    async def throws(_: object) -> None:
        raise LookupError("no such patient")

    def says_no(_: object) -> object:
        return {"ok": False, "error": "the register is closed"}

    ledger = broker.ledger("s")
    async with working(broker, {"throws": throws, "says-no": says_no}):
        fires = [await ledger.record(action, queue=QUEUE) for action in ("throws", "says-no")]
        with anyio.fail_after(5):
            threw, said = await ledger.all_of([fire.id for fire in fires])
    assert (threw.status, threw.error) == ("refused", "LookupError: no such patient")
    assert (said.status, said.error) == ("refused", "the register is closed")


async def test_a_return_that_json_cannot_carry_is_left_out(broker: Broker) -> None:
    async def odd(_: object) -> object:
        return {1, 2}

    ledger = broker.ledger("s")
    async with working(broker, {"odd": odd}):
        fire = await ledger.record("odd", queue=QUEUE)
        with anyio.fail_after(5):
            settled = await ledger.when_settled(fire.id)
    assert (settled.status, settled.data) == ("performed", None)


async def test_a_fire_recorded_before_any_worker_is_performed(broker: Broker) -> None:
    fire = await broker.ledger("s").record("late", queue=QUEUE)
    async with working(broker, {"late": lambda _: "done"}):
        with anyio.fail_after(5):
            settled = await broker.ledger("s").when_settled(fire.id)
    assert settled.data == "done"


async def test_two_workers_start_each_fire_once(broker: Broker, settings: BrokerSettings) -> None:
    started: list[str] = []

    async def note(_: object) -> None:
        started.append(current().fire_id)

    async with (
        open_broker(settings) as other,
        working(broker, {"note": note}, name="w1"),
        working(other, {"note": note}, name="w2"),
    ):
        ledger = broker.ledger("s")
        fires = [await ledger.record("note", queue=QUEUE) for _ in range(40)]
        with anyio.fail_after(10):
            settled = await ledger.all_of([fire.id for fire in fires])
    assert sorted(started) == sorted(fire.id for fire in fires)
    assert {settlement.by for settlement in settled} <= {"w1", "w2"}


async def test_a_fire_settled_before_it_was_read_is_not_started(broker: Broker) -> None:
    started: list[str] = []
    ledger = broker.ledger("s")
    rejected = await ledger.record("note", queue=QUEUE)
    await ledger.settle(rejected.id, refused("withdrawn"), by="somebody")
    last = await ledger.record("note", queue=QUEUE)
    async with working(broker, {"note": lambda _: started.append(current().fire_id)}) as worker:
        with anyio.fail_after(5):
            await ledger.when_settled(last.id)
    assert started == [last.id]
    assert worker.counters.left == 1


async def test_neighbours_never_see_each_others_fire(broker: Broker) -> None:
    seen: dict[object, set[str]] = {}
    both = anyio.Event()

    async def look(payload: object) -> None:
        seen[payload] = {current().fire_id}
        if len(seen) == 2:
            both.set()
        await both.wait()
        seen[payload].add(current().fire_id)
        async with anyio.create_task_group() as group:
            group.start_soon(deeper, payload)

    async def deeper(payload: object) -> None:
        seen[payload].add(current().fire_id)
        seen[payload].add(await anyio.to_thread.run_sync(lambda: current().fire_id))

    ledger = broker.ledger("s")
    async with working(broker, {"look": look}):
        fires = {name: await ledger.record("look", name, queue=QUEUE) for name in ("a", "b")}
        with anyio.fail_after(5):
            await ledger.all_of([fire.id for fire in fires.values()])
    assert seen == {name: {fire.id} for name, fire in fires.items()}


async def test_reports_are_kept_beside_their_fire(broker: Broker) -> None:
    async def waits(_: object) -> None:
        await report({"from": "a coroutine"})

    def blocks(_: object) -> None:
        report_from_thread({"from": "a thread"})

    ledger = broker.ledger("s")
    async with working(broker, {"waits": waits, "blocks": blocks}):
        fires = [await ledger.record(action, queue=QUEUE) for action in ("waits", "blocks")]
        with anyio.fail_after(5):
            await ledger.all_of([fire.id for fire in fires])
    for fire, origin in zip(fires, ("a coroutine", "a thread"), strict=True):
        facts = [each.detail for each in (await ledger.explain(fire.id)).happenings]
        assert any(origin in str(fact) for fact in facts)


async def test_a_plain_function_blocks_nobody(broker: Broker) -> None:
    import threading  # noqa: PLC0415

    release = threading.Event()
    ledger = broker.ledger("s")
    async with working(broker, {"slow": lambda _: release.wait(5), "fast": lambda _: "fast"}):
        slow = await ledger.record("slow", queue=QUEUE)
        fast = await ledger.record("fast", queue=QUEUE)
        with anyio.fail_after(5):
            assert (await ledger.when_settled(fast.id)).data == "fast"
            release.set()
            assert (await ledger.when_settled(slow.id)).data is True


async def test_draining_finishes_what_runs_and_starts_nothing_more(broker: Broker) -> None:
    running, finish = anyio.Event(), anyio.Event()

    async def slow(_: object) -> str:
        running.set()
        await finish.wait()
        return "finished"

    ledger = broker.ledger("s")
    async with broker.queue(QUEUE, "w1") as queue:
        worker = Worker(
            queue, LedgerDoor(broker, "w1"), HandlersByAction({"slow": slow}), concurrency=1
        )
        first, second = [await ledger.record("slow", queue=QUEUE) for _ in range(2)]
        async with anyio.create_task_group() as group:
            group.start_soon(worker.run)
            with anyio.fail_after(5):
                await running.wait()
            worker.drain()
            finish.set()
    assert (await ledger.settlement_if_known(first.id)) is not None
    assert (await ledger.fire(second.id)).started is None
    async with working(broker, {"slow": slow}, name="w2"):
        with anyio.fail_after(5):
            assert (await ledger.when_settled(second.id)).by == "w2"


async def test_a_cancelled_worker_leaves_the_evidence(broker: Broker) -> None:
    running = anyio.Event()

    async def never(_: object) -> None:
        running.set()
        await anyio.sleep_forever()

    ledger = broker.ledger("s")
    fire = await ledger.record("never", queue=QUEUE)
    async with broker.queue(QUEUE, "w1") as queue, anyio.create_task_group() as group:
        group.start_soon(worker_on(broker, queue, {"never": never}).run)
        with anyio.fail_after(5):
            await running.wait()
        group.cancel_scope.cancel()
    left = await ledger.fire(fire.id)
    assert left.status == "open"
    assert left.started is not None
    assert (left.started.by, left.started.attempt) == ("w1", 1)


async def test_a_running_handler_is_seen_alive(broker: Broker) -> None:
    running, finish = anyio.Event(), anyio.Event()

    async def slow(_: object) -> None:
        running.set()
        await finish.wait()

    ledger = broker.ledger("s")
    fire = await ledger.record("slow", queue=QUEUE)
    async with broker.queue(QUEUE, "w1") as queue, anyio.create_task_group() as group:
        worker = Worker(
            queue, LedgerDoor(broker, "w1"), HandlersByAction({"slow": slow}), beat_seconds=0.01
        )
        group.start_soon(worker.run)
        with anyio.fail_after(5):
            await running.wait()
            begun = await ledger.fire(fire.id)
            while (await ledger.fire(fire.id)).started == begun.started:
                await anyio.lowlevel.checkpoint()
        finish.set()
        worker.drain()


async def test_an_action_nobody_here_performs_is_left_alone(broker: Broker) -> None:
    ledger = broker.ledger("s")
    strange = await ledger.record("strange", queue=QUEUE)
    known = await ledger.record("known", queue=QUEUE)
    async with working(broker, {"known": lambda _: None}) as worker:
        with anyio.fail_after(5):
            await ledger.when_settled(known.id)
    assert (await ledger.fire(strange.id)).started is None
    assert worker.counters.left == 1


async def test_outside_a_handler_there_is_no_fire_to_speak_for() -> None:
    with pytest.raises(BadInput) as refusal:
        await report({"a": 1})
    assert refusal.value.code == "NOT_IN_HANDLER"


@proves("settle:immutable")
async def test_an_outcome_that_comes_too_late_is_kept_beside(broker: Broker) -> None:
    running, finish = anyio.Event(), anyio.Event()

    async def slow(_: object) -> str:
        running.set()
        await finish.wait()
        return "late"

    ledger = broker.ledger("s")
    fire = await ledger.record("slow", queue=QUEUE)
    async with working(broker, {"slow": slow}):
        with anyio.fail_after(5):
            await running.wait()
        await ledger.settle(fire.id, refused("withdrawn"), by="somebody")
        finish.set()
    life = await ledger.explain(fire.id)
    assert life.settlement is not None
    assert life.settlement.by == "somebody"
    assert [each.by for each in life.happenings if each.kind == "lost"] == ["w1"]


async def test_a_repeatable_fire_is_done_with_its_entry(broker: Broker) -> None:
    seen: list[tuple[str, int]] = []

    async def note(_: object) -> None:
        seen.append((current().fire_id, current().attempt))

    ledger = broker.ledger("s")
    fire = await ledger.record("note", queue=QUEUE, repeatable=True)
    async with working(broker, {"note": note}):
        with anyio.fail_after(5):
            await ledger.when_settled(fire.id)
    async with broker.queue(QUEUE, "w1") as queue:
        assert await queue.take() == []
    assert seen == [(fire.id, 1)]


def test_the_package_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Boss'"):
        _ = workers.__getattr__("Boss")
