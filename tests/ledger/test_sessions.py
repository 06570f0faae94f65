from dataclasses import replace

import anyio
import pytest

from onefate.broker import Broker, performed
from onefate.broker.ledger.changes import Change, Committed, Conflict, Pins, Row, Wanted
from onefate.broker.ledger.faults import StaleFence, WrongKind, WrongPins
from tests.guarantees import proves
from tests.ledger.sessions import committed, firing, over_a_map, performed_by, rows, settling

pytestmark = proves("fire:atomic")


async def test_a_commit_writes_everything_and_a_load_reads_one_instant(broker: Broker) -> None:
    session = over_a_map(broker, "m")
    assert not (await session.load()).exists
    change = replace(
        firing("pay#0"),
        tables={"offers": {"1": b"one", "2": b"two"}},
        logs={"gaps": [b"first", b"second"]},
        rows={"0": Row(b"row", ends=False)},
    )
    done = committed(await session.commit(change))
    wanted = Wanted(
        tables={"offers": ["1", "3"], "once": ["x"], "none": []},
        logs={"gaps": (1, 2), "empty": (0, 0)},
        rows=["0", "7"],
        settlements=["pay#0"],
    )
    loaded = await session.load(wanted=wanted)
    assert loaded.revision == done.revision
    assert loaded.counter == 1
    assert loaded.sections == {"latches": b"pay#0"}
    assert loaded.tables == {"offers": {"1": b"one", "3": None}, "once": {"x": None}, "none": {}}
    assert loaded.logs == {"gaps": [b"second"], "empty": []}
    assert loaded.rows == {"0": b"row", "7": None}
    assert loaded.settlements == {"pay#0": None}
    assert [each.id for each in await broker.ledger("m").awaiting()] == ["pay#0"]


async def test_any_number_of_a_tables_rows_is_read_at_once(broker: Broker) -> None:
    session = over_a_map(broker, "m")
    table = {str(n): f"row {n}".encode() for n in range(9000)}
    await session.commit(replace(firing("pay#0"), tables={"asks": table}))
    loaded = await session.load(wanted=Wanted(tables={"asks": list(table), "once": ["x"]}))
    assert loaded.tables == {"asks": table, "once": {"x": None}}


async def test_a_known_revision_is_not_sent_again(broker: Broker) -> None:
    session = over_a_map(broker, "m")
    done = committed(await session.commit(rows(counter=1)))
    assert (await session.load(known_revision=done.revision)).sections is None
    await session.commit(rows(counter=2, revision=done.revision))
    assert (await session.load(known_revision=done.revision)).sections is not None


async def test_of_two_decisions_on_one_revision_one_is_written(broker: Broker) -> None:
    session = over_a_map(broker, "m")
    first = committed(await session.commit(rows(counter=1)))
    answers: list[Committed | Conflict] = []

    async def decide(counter: int) -> None:
        answers.append(await session.commit(rows(counter=counter, revision=first.revision)))

    async with anyio.create_task_group() as group:
        for counter in range(2, 12):
            group.start_soon(decide, counter)
    assert sum(isinstance(answer, Committed) for answer in answers) == 1
    assert await session.commit(firing("pay#0")) == Conflict(first.revision + 1)
    assert await broker.ledger("m").awaiting() == ()


@proves("settle:lost-reply")
async def test_a_commit_whose_reply_was_lost_is_told_what_it_did(broker: Broker) -> None:
    session = over_a_map(broker, "m")
    change = firing("pay#0")
    first = committed(await session.commit(change))
    again = committed(await session.commit(change))
    assert again.revision == first.revision
    close = settling([performed_by("pay#0")], revision=first.revision, counter=1)
    won = committed(await session.commit(close))
    for counter in range(2, 12):
        answer = await session.commit(rows(counter=counter, revision=won.revision + counter - 2))
        committed(answer)
    told = committed(await session.commit(close))
    assert (told.won, told.settlements) == (won.won, won.settlements)
    assert told.won == {"pay#0": True}
    assert [each.id for each in await broker.ledger("m").awaiting()] == []


@proves("wait:no-lost-wakeup")
async def test_a_commits_settlement_wakes_its_waiter(broker: Broker) -> None:
    session = over_a_map(broker, "m")
    first = committed(await session.commit(firing("pay#0", "pay#1")))
    woken: list[str] = []

    async def waiter() -> None:
        woken.append((await broker.ledger("m").when_settled("pay#1")).id)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(waiter)
            close = settling(
                [performed_by("pay#0"), performed_by("pay#1")], revision=first.revision, counter=2
            )
            await session.commit(close)
    assert woken == ["pay#1"]


@proves("wait:no-lost-wakeup")
async def test_a_fire_committed_here_is_waited_for_without_a_read(broker: Broker) -> None:
    session, ledger = over_a_map(broker, "m"), broker.ledger("m")
    first = committed(await session.commit(firing("warm#0")))
    await session.commit(settling([performed_by("warm#0")], revision=first.revision, counter=1))
    await ledger.when_settled("warm#0")
    fires = replace(firing("warm#1", revision=first.revision + 1), counter=2)
    second = committed(await session.commit(fires))
    assert committed(await session.commit(fires)).revision == second.revision
    close = settling([performed_by("warm#1")], revision=second.revision, counter=2)
    await session.commit(close)
    before = broker.counters()["commands"] - broker.counters()["heartbeats"]
    with anyio.fail_after(5):
        assert (await ledger.when_settled("warm#1")).by == "w"
    assert broker.counters()["commands"] - broker.counters()["heartbeats"] == before


async def test_a_fire_born_at_rest_is_recorded_and_settled_at_once(broker: Broker) -> None:
    session = over_a_map(broker, "m")
    born = replace(
        firing("note#0"),
        settlements=[performed_by("note#0")],
        rows={"0": Row(b"row", ends=True)},
    )
    done = committed(await session.commit(born))
    assert done.won == {"note#0": True}
    assert await broker.ledger("m").settlement_if_known("note#0") == done.settlements["note#0"]


@proves("fire:started-once")
async def test_a_worker_whose_claim_was_superseded_commits_nothing(broker: Broker) -> None:
    session = over_a_map(broker, "m")
    first = committed(await session.commit(firing("pay#0", queue="q", repeatable=True)))
    async with broker.queue("q", "w1") as one, broker.queue("q", "w2") as two:
        [entry] = await one.take()
        await one.claim(entry)
        await two.claim(entry, lease_ms=0)
        stale = settling([performed_by("pay#0", "w1", fence=1)], revision=first.revision, counter=1)
        with pytest.raises(StaleFence):
            await session.commit(stale)
        assert (await session.load()).revision == first.revision
        fresh = replace(
            settling([performed_by("pay#0", "w2", fence=2)], revision=first.revision, counter=1),
            finished=[entry],
        )
        assert committed(await session.commit(fresh)).won == {"pay#0": True}


@proves("tools:bytes-stable")
async def test_a_session_is_opened_only_as_it_was_created(broker: Broker) -> None:
    await over_a_map(broker, "m").commit(rows(counter=1))
    with pytest.raises(WrongPins, match="the same map"):
        await over_a_map(broker, "m", Pins("map-2", "options-1")).load()
    with pytest.raises(WrongPins, match="the same options"):
        await over_a_map(broker, "m", Pins("map-1", "options-2")).load()


async def test_a_plain_ledger_and_a_session_over_a_map_keep_apart(broker: Broker) -> None:
    await broker.ledger("plain").record("pay")
    with pytest.raises(WrongKind):
        await over_a_map(broker, "plain").load()
    first = committed(await over_a_map(broker, "m").commit(firing("pay#0")))
    ledger = broker.ledger("m")
    with pytest.raises(WrongKind):
        await ledger.record("pay")
    with pytest.raises(WrongKind):
        await ledger.settle("pay#0", performed(), by="w")
    committed(await over_a_map(broker, "m").commit(rows(counter=2, revision=first.revision)))


async def test_events_reach_whoever_listens(broker: Broker) -> None:
    heard: list[bytes] = []
    arrived = anyio.Event()

    def listener(body: bytes) -> None:
        heard.append(body)
        arrived.set()

    stop = await broker.hub.listen("m", listener)
    change = Change(revision=0, token="0123456789abcdef", counter=0, events=[b"one\ntwo"])
    await over_a_map(broker, "m").commit(change)
    with anyio.fail_after(5):
        await arrived.wait()
    stop()
    assert heard == [b"one\ntwo"]
