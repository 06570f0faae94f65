from collections.abc import AsyncIterator, Sequence
from itertools import product

import anyio
import pytest

from onefate.broker import Broker, Entry, performed
from onefate.broker.ledger.opening import open_link
from tests.guarantees import proves
from tests.ledger.flaky import Fault, FlakyLink
from tests.ledger.sessions import committed, firing, over_a_map, performed_by, settling

pytestmark = proves("settle:lost-reply")

PLANS: Sequence[tuple[Fault, ...]] = tuple(product(("command", "reply"), repeat=2))


@pytest.fixture
async def flaky(broker: Broker) -> AsyncIterator[tuple[Broker, FlakyLink]]:
    """A broker whose link can lose things, beside one whose link does not."""
    link = FlakyLink(await open_link(broker.settings))
    unsteady = Broker(link, broker.settings)
    await unsteady.start()
    try:
        yield unsteady, link
    finally:
        await unsteady.aclose()


@pytest.mark.parametrize("plan", PLANS)
async def test_a_settler_whose_reply_was_lost_is_told_that_it_won(
    flaky: tuple[Broker, FlakyLink], plan: tuple[Fault, ...]
) -> None:
    broker, link = flaky
    fire = await broker.ledger("s").record("pay")
    link.plan.extend(plan)
    with anyio.fail_after(5):
        settled = await broker.ledger("s").settle(fire.id, performed(1), by="w1")
    assert settled.won
    assert link.met == 2
    life = await broker.ledger("s").explain(fire.id)
    assert [each.kind for each in life.happenings] == ["recorded", "settled"]


@proves("settle:first-wins")
async def test_a_settler_whose_reply_was_lost_and_who_lost_is_told_who_won(
    broker: Broker, flaky: tuple[Broker, FlakyLink]
) -> None:
    unsteady, link = flaky
    fire = await broker.ledger("s").record("pay")
    won = await broker.ledger("s").settle(fire.id, performed(1), by="w1")
    link.plan.extend(("reply", "reply"))
    with anyio.fail_after(5):
        lost = await unsteady.ledger("s").settle(fire.id, performed(2), by="w2")
    assert not lost.won
    assert lost.settlement == won.settlement
    life = await broker.ledger("s").explain(fire.id)
    assert [each.kind for each in life.happenings] == ["recorded", "settled", "lost"]


@proves("fire:atomic", "id:never-reused")
@pytest.mark.parametrize("plan", PLANS)
async def test_a_fire_recorded_through_lost_replies_is_one_fire(
    flaky: tuple[Broker, FlakyLink], plan: tuple[Fault, ...]
) -> None:
    broker, link = flaky
    ledger = broker.ledger("s")
    first = await ledger.record("pay")
    link.plan.extend(plan)
    with anyio.fail_after(5):
        second = await ledger.record("pay", queue="q")
        third = await ledger.record("pay", token="mine")
        link.plan.append("reply")
        fourth = await ledger.record("pay", token="mine")
    assert [first.id, second.id, third.id, fourth.id] == ["pay#0", "pay#1", "pay#2", "pay#2"]
    assert [each.id for each in await ledger.awaiting()] == ["pay#0", "pay#1", "pay#2"]
    async with broker.queue("q", "w") as queue:
        entries = await queue.take()
        assert [each.fire_id for each in entries] == ["pay#1"]
        await queue.done(entries[0])


@proves("fire:atomic")
@pytest.mark.parametrize("plan", PLANS)
async def test_a_commit_through_lost_replies_happens_once(
    flaky: tuple[Broker, FlakyLink], plan: tuple[Fault, ...]
) -> None:
    broker, link = flaky
    session = over_a_map(broker, "m")
    link.plan.extend(plan)
    with anyio.fail_after(5):
        first = committed(await session.commit(firing("pay#0")))
        link.plan.extend(plan)
        close = settling([performed_by("pay#0")], revision=first.revision, counter=1)
        closed = committed(await session.commit(close))
    assert closed.won == {"pay#0": True}
    assert closed.revision == first.revision + 1


@proves("fire:started-once")
@pytest.mark.parametrize("plan", PLANS)
async def test_a_claim_through_lost_replies_starts_the_fire_once(
    flaky: tuple[Broker, FlakyLink], plan: tuple[Fault, ...]
) -> None:
    broker, link = flaky
    fire = await broker.ledger("s").record("pay", repeatable=True)
    link.plan.extend(plan)
    with anyio.fail_after(5):
        claim = await broker.claims.claim(Entry("q", 0, "", "s", fire.id), "w", lease_ms=0)
    stands = await broker.ledger("s").fire(fire.id)
    assert stands.started is not None
    assert stands.started.attempt == getattr(claim, "attempt", None) == 1


@proves("wait:never-fails")
async def test_a_wait_reads_through_lost_replies(flaky: tuple[Broker, FlakyLink]) -> None:
    broker, link = flaky
    fire = await broker.ledger("s").record("pay")
    won = await broker.ledger("s").settle(fire.id, performed(), by="w")
    link.plan.extend(("command", "reply", "reply"))
    with anyio.fail_after(5):
        assert await broker.ledger("s").when_settled(fire.id) == won.settlement
