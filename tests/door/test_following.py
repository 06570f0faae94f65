"""What one process commits the others follow; a lost announcement costs a load, and no truth."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

import anyio

from onefate.broker import Broker, open_broker
from onefate.broker.door import Session, open_session
from onefate.broker.door.following import LONGEST, MOST, Announced, announcement
from onefate.broker.door.kept import AtHand
from onefate.broker.door.outcomes import SessionOutcomes
from onefate.broker.ledger.changes import Change, Row
from onefate.broker.performing import Worker
from onefate.broker.session.state import Record
from onefate.workers.handlers import AppHandlers
from tests.door.world import OPTIONS, SHOP
from tests.guarantees import proves

pytestmark = proves("answer:one-truth", "fire:atomic")

COMMIT_AND_PING = 2
BOTH_AND_ONE_AGAIN = 3
CHANGE = Change(
    revision=7,
    token="t.1",
    counter=3,
    sections={"state": b'{"counted":1}', "served": b"{}"},
    rows={"2": Row(b'{"n":2}', ends=True)},
)


def at_hand(revision: int) -> AtHand:
    kept = AtHand(revision=revision, unsettled={"a#2"})
    kept.snapshot.tables = {
        "rows": {"1": {}},
        "offers": {"1": {}},
        "receipts": {"a#1": {"effectStatus": "performed"}, "a#2": None},
    }
    return kept


def followed(kept: AtHand, change: Change) -> bool:
    (event,) = announcement(change)
    return kept.follow(Announced.read(event))


def test_an_announcement_says_what_was_changed() -> None:
    (event,) = announcement(CHANGE)
    read = Announced.read(event)
    assert (read.base, read.revision) == (7, 8)
    assert read.sections == CHANGE.sections
    assert read.rows == {"2": b'{"n":2}'}


def test_a_creation_and_a_large_commit_are_not_announced() -> None:
    assert announcement(Change(revision=0, token="t.1", counter=0)) == ()
    large = {"state": b'"' + b"." * LONGEST + b'"'}
    assert announcement(Change(revision=7, token="t.1", counter=0, sections=large)) == ()


def test_the_next_commit_is_taken_in_and_drops_what_it_may_have_changed() -> None:
    kept = at_hand(7)
    assert followed(kept, CHANGE)
    assert kept.revision == 8
    assert kept.snapshot.sections == {"state": {"counted": 1}, "served": {}}
    assert kept.snapshot.tables == {
        "rows": {"1": {}, "2": {"n": 2}},
        "receipts": {"a#1": {"effectStatus": "performed"}},
    }


def test_a_commit_that_is_known_changes_nothing() -> None:
    kept = at_hand(8)
    assert followed(kept, CHANGE)
    assert "offers" in kept.snapshot.tables


def test_a_commit_after_a_gap_is_not_taken_in() -> None:
    kept = at_hand(6)
    assert not followed(kept, CHANGE)
    assert kept.revision == 6


async def test_two_doors_that_take_turns_load_nothing(shared_url: str) -> None:
    async with held(shared_url, "turns") as one, held(shared_url, "turns") as other:
        with anyio.fail_after(20):
            await take_turns(one, other, 4)
            before = one.commands() + other.commands()
            await take_turns(one, other, 10)
            assert one.commands() + other.commands() - before == COMMIT_AND_PING * 20
            assert await one.session.state() == await other.session.state()
            assert (await one.session.state())["counted"] == 9


async def test_whoever_meets_a_conflict_has_heard_of_it(shared_url: str) -> None:
    async with held(shared_url, "conflict") as one, held(shared_url, "conflict") as other:
        with anyio.fail_after(20):
            await take_turns(one, other, 4)
            before = one.commands() + other.commands()
            async with anyio.create_task_group() as group:
                group.start_soon(report, one, "counted")
                group.start_soon(report, other, "weight")
            assert one.commands() + other.commands() - before == BOTH_AND_ONE_AGAIN
            assert await one.session.state() == await other.session.state()


async def report(held: "Held", key: str) -> None:
    await held.session.update_state({key: 77})


async def test_whoever_has_fallen_behind_loads(shared_url: str) -> None:
    async with held(shared_url, "behind") as idle, held(shared_url, "behind") as busy:
        with anyio.fail_after(20):
            await take_turns(idle, busy, 2)
            for n in range(3 * MOST):
                await busy.session.update_state({"counted": 100 + n})
            await idle.session.update_state({"weight": 3})
            assert (await busy.session.state())["weight"] == 3
            assert (await idle.session.state())["counted"] == 100 + 3 * MOST - 1


async def test_a_worker_that_foresees_outcomes_decides_them_on_what_is_there(
    shared_url: str,
) -> None:
    async with (
        held(shared_url, "claims") as port,
        held(shared_url, "claims") as far,
        far.broker.queue("till", "w", session="claims") as queue,
        anyio.create_task_group() as group,
    ):
        await far.session.wire("till", ["till.look"], queue="till")
        await far.session.flush()
        handlers = AppHandlers({"till.look": nothing})
        worker = Worker(queue, SessionOutcomes(far.session), handlers, foresee=far.session.foresee)
        await group.start(worker.run)
        with anyio.fail_after(20):
            fired = cast("dict[str, Record]", await port.session.fire("till.look"))
            receipt = await port.session.when_settled(fired["transition"]["id"])
        assert receipt["effectStatus"] == "performed"
        worker.drain()


async def nothing(_payload: object) -> None:
    return None


@dataclass(frozen=True)
class Held:
    """A door, and the broker it stands on."""

    session: Session
    broker: Broker

    def commands(self) -> int:
        counters = self.broker.link.counters
        return counters.commands - counters.heartbeats

    async def caught_up(self) -> None:
        """What was announced before is read before the answer to this."""
        await self.broker.link.execute("PING")


@asynccontextmanager
async def held(url: str, session_id: str) -> AsyncGenerator[Held]:
    async with (
        open_broker(url) as broker,
        open_session(broker, session_id, SHOP, OPTIONS) as session,
    ):
        yield Held(session, broker)


async def take_turns(one: Held, other: Held, turns: int) -> None:
    for n in range(turns):
        await one.session.update_state({"counted": n})
        await other.caught_up()
        await other.session.update_state({"weight": n})
        await one.caught_up()
