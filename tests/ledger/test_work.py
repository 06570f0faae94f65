import anyio
import pytest

from onefate.broker import Broker, Claim, Entry, NotClaimed, performed, refused
from onefate.broker.ledger.faults import StaleFence
from onefate.broker.ledger.ids import partition_of
from tests.guarantees import proves

pytestmark = proves("fire:started-once")


def claimed(answer: Claim | NotClaimed) -> Claim:
    assert isinstance(answer, Claim)
    return answer


async def test_a_queued_fire_is_read_claimed_and_settled_with_its_fence(broker: Broker) -> None:
    ledger = broker.ledger("s")
    async with broker.queue("q", "w1") as queue:
        assert await queue.take() == []
        fire = await ledger.record("pay", {"amount": 3}, queue="q")
        with anyio.fail_after(5):
            await queue.wait()
        [entry] = await queue.take()
        assert (entry.session, entry.fire_id) == ("s", fire.id)
        claim = claimed(await queue.claim(entry))
        assert (claim.payload, claim.attempt, claim.fire_id) == ({"amount": 3}, 1, fire.id)
        settled = await ledger.settle(fire.id, performed(), by="w1", fence=claim.fence)
        assert settled.won
        assert await queue.take() == []


async def test_an_idle_worker_is_told_the_entry_and_takes_no_more_than_it_asked_for(
    broker: Broker,
) -> None:
    ledger = broker.ledger("s")
    async with broker.queue("q", "w1") as queue:
        assert await queue.take() == []
        taken: list[str] = []
        with anyio.fail_after(5):
            async with anyio.create_task_group() as group:
                group.start_soon(queue.wait)
                await anyio.lowlevel.checkpoint()
                for index in range(20):
                    group.start_soon(ledger.record, "pay", index)
                    await ledger.record("queued", index, queue="q")
            while len(taken) < 20:
                await queue.wait()
                found = await queue.take(3)
                assert len(found) <= 3
                for entry in found:
                    claimed(await queue.claim(entry))
                    taken.append(entry.fire_id)
        assert len(set(taken)) == 20
        assert await queue.take() == []
    stream = broker.keys("s").partition.work("q")
    assert await broker.link.execute("XLEN", stream) == 0


async def test_of_many_claims_one_starts_the_fire(broker: Broker) -> None:
    fire = await broker.ledger("s").record("pay", queue="q")
    answers: list[Claim | NotClaimed] = []
    entry = Entry("q", 0, "", "s", fire.id)

    async def worker(index: int) -> None:
        answers.append(await broker.claims.claim(entry, f"w{index}", lease_ms=0, token=f"t{index}"))

    async with anyio.create_task_group() as group:
        for index in range(20):
            group.start_soon(worker, index)
    assert sum(isinstance(answer, Claim) for answer in answers) == 1
    assert {answer.reason for answer in answers if isinstance(answer, NotClaimed)} == {"started"}
    async with broker.queue("q", "clean") as queue:
        for left in await queue.take():
            await queue.claim(left)


@proves("answer:one-truth")
async def test_a_worker_that_is_gone_leaves_evidence(broker: Broker) -> None:
    ledger = broker.ledger("s")
    async with broker.queue("q", "w1") as queue:
        fire = await ledger.record("pay", queue="q")
        claim = claimed(await queue.claim((await queue.take())[0]))
        assert await queue.beat(claim)
    [waiting] = await ledger.awaiting()
    assert waiting.started is not None
    assert (waiting.id, waiting.queue, waiting.started.by) == (fire.id, "q", "w1")
    assert waiting.started.seen_ms >= waiting.started.at_ms
    async with broker.queue("q", "w2") as queue:
        assert await queue.take() == []


async def test_a_claim_whose_reply_was_lost_is_told_again(broker: Broker) -> None:
    fire = await broker.ledger("s").record("pay", 7)
    entry = Entry("q", 0, "", "s", fire.id)
    first = await broker.claims.claim(entry, "w1", lease_ms=0, token="t")
    assert await broker.claims.claim(entry, "w1", lease_ms=0, token="t") == first
    assert isinstance(await broker.claims.claim(entry, "w1", lease_ms=0), NotClaimed)


async def test_a_repeatable_fire_is_claimed_again_after_a_silence(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("sync", queue="q", repeatable=True)
    async with broker.queue("q", "w1") as one, broker.queue("q", "w2") as two:
        [entry] = await one.take()
        first = claimed(await one.claim(entry))
        busy = await two.claim(entry)
        assert isinstance(busy, NotClaimed)
        assert busy.reason == "started"
        second = claimed(await two.claim(entry, lease_ms=0))
        assert (first.attempt, second.attempt) == (1, 2)
        assert second.fire_id == fire.id
        assert not await one.beat(first)
        assert await two.beat(second)
        done = await ledger.settle(
            fire.id, performed(), by="w2", fence=second.fence, entry=second.entry
        )
        assert done.won
    starts = [each for each in (await ledger.explain(fire.id)).happenings if each.kind == "started"]
    assert [each.by for each in starts] == ["w1", "w2"]


@proves("settle:first-wins")
async def test_a_stale_worker_cannot_settle_and_is_kept(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("sync", repeatable=True)
    entry = Entry("q", 0, "", "s", fire.id)
    first = claimed(await broker.claims.claim(entry, "w1", lease_ms=0))
    second = claimed(await broker.claims.claim(entry, "w2", lease_ms=0))
    with pytest.raises(StaleFence):
        await ledger.settle(fire.id, performed(1), by="w1", fence=first.fence)
    assert await ledger.settlement_if_known(fire.id) is None
    won = await ledger.settle(fire.id, performed(2), by="w2", fence=second.fence)
    late = await ledger.settle(fire.id, performed(1), by="w1", fence=first.fence)
    assert (won.won, late.won) == (True, False)
    lost = [each for each in (await ledger.explain(fire.id)).happenings if each.kind == "lost"]
    assert [each.by for each in lost] == ["w1", "w1"]


async def test_a_fire_rejected_before_it_started_does_not_start(broker: Broker) -> None:
    ledger = broker.ledger("s")
    async with broker.queue("q", "w1") as queue:
        fire = await ledger.record("pay", queue="q")
        [entry] = await queue.take()
        await ledger.settle(fire.id, refused("withdrawn"), by="user")
        answer = await queue.claim(entry)
        assert isinstance(answer, NotClaimed)
        assert answer.reason == "settled"
        assert answer.settlement is not None
        assert answer.settlement.error == "withdrawn"


@proves("settle:lost-reply")
async def test_entries_whose_reply_was_lost_are_read_from_history(broker: Broker) -> None:
    ledger = broker.ledger("s")
    async with broker.queue("q", "w1") as queue:
        fire = await ledger.record("pay", queue="q")
        stream = broker.keys("s").partition.work("q")
        await broker.link.execute(
            "XREADGROUP", "GROUP", "w", "w1", "COUNT", 10, "STREAMS", stream, ">"
        )
    async with broker.queue("q", "w1") as queue:
        [entry] = await queue.take()
        assert entry.fire_id == fire.id
        assert await queue.take() == []
        claimed(await queue.claim(entry))


async def test_two_workers_share_a_queue_without_sharing_a_fire(broker: Broker) -> None:
    ids = {(await broker.ledger(f"s{index}").record("pay", queue="q")).id for index in range(30)}
    taken: list[tuple[str, str]] = []
    async with broker.queue("q", "w1") as one, broker.queue("q", "w2") as two:
        while found := [*await one.take(4), *await two.take(4)]:
            taken += [(each.session, each.fire_id) for each in found]
            for each in found:
                await one.done(each)
    assert len(taken) == len(set(taken)) == 30
    assert ids == {"pay#0"}


@proves("store:declared")
async def test_an_empty_stream_is_gone_with_its_last_consumer(broker: Broker) -> None:
    stream = broker.keys("s").partition.work("q")
    async with broker.queue("q", "w1", session="s") as queue:
        assert await queue.take() == []
        async with broker.queue("q", "w2", session="s"):
            pass
        assert await broker.link.execute("EXISTS", stream) == 1
    assert await broker.link.execute("EXISTS", stream) == 0
    await broker.ledger("s").record("pay", queue="q")
    async with broker.queue("q", "w1", session="s"):
        pass
    assert await broker.link.execute("XLEN", stream) == 1


async def test_a_queue_whose_groups_the_store_lost_makes_them_again(broker: Broker) -> None:
    async with broker.queue("q", "w1", session="s") as queue:
        await broker.link.execute("DEL", broker.keys("s").partition.work("q"))
        assert await queue.take() == []
        fire = await broker.ledger("s").record("pay", queue="q")
        [entry] = await queue.take()
        assert entry.fire_id == fire.id


async def test_no_more_is_taken_over_than_there_is_room_for(broker: Broker) -> None:
    for index in range(8):
        session = f"s{index}"
        await broker.ledger(session).record("pay", queue="q")
        stream = broker.keys(session).partition.work("q")
        async with broker.queue("q", "dead", session=session) as dead:
            for each in await dead.take():
                await broker.link.execute(
                    "XCLAIM", stream, "w", "dead", 0, each.entry, "IDLE", 60_000, "JUSTID"
                )
    async with broker.queue("q", "w1") as queue:
        assert len(await queue.take(3)) == 3


async def test_a_repeatable_entry_that_was_released_is_found_again(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("sync", queue="q", repeatable=True)
    async with broker.queue("q", "w1", session="s") as queue:
        [entry] = await queue.take()
        claimed(await queue.claim(entry))
        queue.reconnected()
        assert await queue.take() == []
        queue.release(entry)
        queue.reconnected()
        [again] = await queue.take()
        assert (again.fire_id, again.entry) == (fire.id, entry.entry)


async def test_a_queue_of_one_session_gives_no_work_of_a_neighbour(broker: Broker) -> None:
    neighbour = next(
        name
        for name in (f"n{index}" for index in range(10_000))
        if partition_of(name) == partition_of("s")
    )
    async with broker.queue("q", "w1", session="s") as queue:
        foreign = await broker.ledger(neighbour).record("pay", queue="q")
        ours = await broker.ledger("s").record("pay", queue="q")
        assert [(each.session, each.fire_id) for each in await queue.take()] == [("s", ours.id)]
        async with anyio.create_task_group() as group:
            group.start_soon(queue.wait)
            await anyio.lowlevel.checkpoint()
            await broker.ledger(neighbour).record("pay", queue="q")
            await broker.ledger("s").record("pay", queue="q")
        assert {each.session for each in await queue.take()} == {"s"}
    assert (await broker.ledger(neighbour).fire(foreign.id)).started is None
