"""Workers and ports killed at any point of a fire's life: nothing is started twice or lost."""

import anyio
import pytest

from onefate.broker import Broker, Claim, Entry, NotClaimed, performed
from onefate.broker.ledger import work
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.faults import StaleFence
from onefate.port import serve_to_agent
from tests.chaos.children import child
from tests.chaos.places import shop
from tests.guarantees import proves

pytestmark = [proves("fire:started-once", "settle:no-clock"), pytest.mark.timeout(120)]


@pytest.fixture(autouse=True)
def silence_is_noticed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "SILENCE_MS", 1)


async def killed_at(url: str, point: str, fire_id: str, name: str = "w1") -> None:
    """A worker is killed once it has come to a point of this fire's life."""
    with anyio.fail_after(30):
        async with child("tests.chaos.working", url, point, name) as worker:
            assert await worker.said() == fire_id
            await worker.kill()


async def taken(broker: Broker, name: str = "w2") -> Claim | NotClaimed | None:
    """What another worker comes to: its claim, or None if nothing is left to do."""
    async with broker.queue("q", name) as queue:
        for entry in await queue.take():
            return await queue.claim(entry, lease_ms=1)
    return None


@pytest.mark.parametrize("repeatable", [False, True])
async def test_killed_before_the_claim_another_worker_starts_it(
    server: OwnedServer, broker: Broker, *, repeatable: bool
) -> None:
    fire = await broker.ledger("s").record("pay", queue="q", repeatable=repeatable)
    await killed_at(server.url, "read", fire.id)
    assert (await broker.ledger("s").fire(fire.id)).started is None
    claim = await taken(broker)
    assert isinstance(claim, Claim)
    assert (claim.fire_id, claim.attempt) == (fire.id, 1)


@pytest.mark.parametrize("point", ["started", "ended"])
async def test_killed_after_the_claim_nobody_starts_it_again(
    server: OwnedServer, broker: Broker, point: str
) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay", queue="q")
    await killed_at(server.url, point, fire.id)
    assert await taken(broker) is None
    stands = await ledger.fire(fire.id)
    assert stands.status == "open"
    assert stands.started is not None
    assert (stands.started.by, stands.started.attempt) == ("w1", 1)
    assert stands.started.seen_ms >= stands.started.at_ms >= stands.at_ms
    again = await broker.claims.claim(Entry("q", 0, "", "s", fire.id), "w2", lease_ms=1)
    assert isinstance(again, NotClaimed)
    assert (again.reason, again.started) == ("started", stands.started)
    told = await ledger.settle(fire.id, performed(), by="kim", evidence={"saw": "the receipt"})
    assert told.won


@pytest.mark.parametrize("point", ["started", "ended"])
async def test_killed_after_the_claim_what_may_be_repeated_is_repeated_under_its_id(
    server: OwnedServer, broker: Broker, point: str
) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay", queue="q", repeatable=True)
    await killed_at(server.url, point, fire.id)
    claim = await taken(broker)
    assert isinstance(claim, Claim)
    assert (claim.fire_id, claim.attempt) == (fire.id, 2)
    with pytest.raises(StaleFence):
        await ledger.settle(fire.id, performed("first"), by="w1", fence=1)
    told = await ledger.settle(fire.id, performed("second"), by="w2", fence=claim.fence)
    assert told.won
    assert told.settlement.data == "second"


@proves("answer:one-truth")
async def test_every_port_serves_who_started_it_and_when_it_was_last_seen(
    server: OwnedServer,
) -> None:
    async with shop(server.url, "s") as one, shop(server.url, "s") as two:
        await one.wire("app", ["till.count"], queue="q")
        ports = serve_to_agent(one), serve_to_agent(two)
        answer = await ports[0].call("shop.do_action", {"action": "till.count"})
        fire_id = str(answer["transitionId"])
        await killed_at(server.url, "started", fire_id)
        told = [await port.call("shop.did_it_work", {"transitionId": fire_id}) for port in ports]
        assert told[0] == told[1]
        evidence = told[0]["evidence"]
        assert isinstance(evidence, dict)
        assert (evidence["startedBy"], evidence["attempt"]) == ("w1", 1)
        assert evidence["lastSeen"] >= evidence["startedAt"]
        assert await ports[1].settled_answer(fire_id) is None


@proves("answer:one-truth", "answer:three", "wait:never-fails")
async def test_a_port_killed_in_mid_wait_changes_nothing_for_the_others(
    server: OwnedServer,
) -> None:
    async with shop(server.url, "s") as session:
        await session.wire("app", ["till.count"], queue="nobody")
        near = serve_to_agent(session)
        answer = await near.call("shop.do_action", {"action": "till.count"})
        fire_id = str(answer["transitionId"])
        async with (
            child("tests.chaos.waiting", server.url, "s") as killed,
            child("tests.chaos.waiting", server.url, "s") as other,
        ):
            with anyio.fail_after(30):
                for each in (killed, other):
                    assert await each.said() == "ready"
                    await each.tell(f"wait {fire_id}")
                    assert await each.said() == "waiting"
                await killed.kill()
                await session.update_state({"counted": 1}, transition_id=fire_id)
                receipt = await other.said()
                await other.tell(f"ask {fire_id}")
                assert await other.said() == await near.settled_answer(fire_id)
            assert receipt == await near.when_settled(fire_id)
