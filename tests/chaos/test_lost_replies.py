"""The reply to each writing script is lost: there is one effect, and its author is told so."""

from collections import Counter
from collections.abc import Awaitable, Callable

import anyio
import pytest

from onefate.broker import Broker, Claim, Entry, performed
from onefate.broker.door import Session
from onefate.broker.ledger import scripts
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.link import Script
from tests.chaos.places import shop
from tests.guarantees import proves
from tests.link.proxy import Proxy

pytestmark = [proves("settle:lost-reply", "fire:atomic"), pytest.mark.parametrize("times", [1, 2])]

OTHERS = 300
"""More commits than any short memory of tokens would hold."""


async def through_lost_replies(
    proxy: Proxy, script: Script, times: int, work: Callable[[], Awaitable[object]]
) -> None:
    """Do something while the next replies to a script are lost."""
    lost = proxy.lost_replies
    proxy.lose_reply(script.sha.encode())

    async def lose_more() -> None:
        for _ in range(1, times):
            await proxy.connected(proxy.accepted + 1)
            proxy.lose_reply(script.sha.encode())

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(lose_more)
            await work()
            group.cancel_scope.cancel()
    assert proxy.lost_replies == lost + times


async def kinds(broker: Broker, fire_id: str) -> Counter[str]:
    life = await broker.ledger("s").explain(fire_id)
    return Counter(each.kind for each in life.happenings)


async def warm(broker: Broker) -> None:
    """Let the server know every script, so that the lost reply is a script's and no refusal."""
    for script in scripts.ALL:
        await broker.link.execute("SCRIPT", "LOAD", script.source)


@proves("id:never-reused")
async def test_a_fire_is_recorded_once(
    broker: Broker, far: Broker, proxy: Proxy, times: int
) -> None:
    await warm(broker)

    async def record() -> None:
        fire = await far.ledger("s").record("pay", {"n": 1}, queue="q")
        assert fire.id == "pay#0"

    await through_lost_replies(proxy, scripts.RECORD.script, times, record)
    assert [fire.id for fire in await broker.ledger("s").awaiting()] == ["pay#0"]
    async with broker.queue("q", "w") as queue:
        assert [entry.fire_id for entry in await queue.take()] == ["pay#0"]


@proves("settle:first-wins", "settle:immutable")
async def test_a_settler_is_told_that_it_won(
    broker: Broker, far: Broker, proxy: Proxy, times: int
) -> None:
    await warm(broker)
    fire = await broker.ledger("s").record("pay")

    async def settle() -> None:
        told = await far.ledger("s").settle(fire.id, performed(7), by="far")
        assert told.won
        assert told.settlement.data == 7

    await through_lost_replies(proxy, scripts.SETTLE.script, times, settle)
    assert await kinds(broker, fire.id) == {"recorded": 1, "settled": 1}


@proves("settle:immutable")
async def test_an_outside_source_is_kept_once(
    broker: Broker, far: Broker, proxy: Proxy, times: int
) -> None:
    await warm(broker)
    fire = await broker.ledger("s").record("pay")
    await broker.ledger("s").settle(fire.id, performed(), by="w")

    async def observe() -> None:
        told = await far.ledger("s").observe(fire.id, source="bank", status="refused")
        assert not told.won
        assert told.settlement.by == "w"

    await through_lost_replies(proxy, scripts.SETTLE.script, times, observe)
    assert await kinds(broker, fire.id) == {"recorded": 1, "settled": 1, "observed": 1}


async def test_a_later_fact_is_kept_once(
    broker: Broker, far: Broker, proxy: Proxy, times: int
) -> None:
    await warm(broker)
    fire = await broker.ledger("s").record("pay")

    async def note() -> None:
        await far.ledger("s").note(fire.id, {"seen": True}, by="camera")

    await through_lost_replies(proxy, scripts.NOTE.script, times, note)
    assert await kinds(broker, fire.id) == {"recorded": 1, "noted": 1}


@proves("fire:started-once")
@pytest.mark.parametrize("repeatable", [True, False])
async def test_a_claim_starts_one_attempt(
    broker: Broker, far: Broker, proxy: Proxy, times: int, *, repeatable: bool
) -> None:
    await warm(broker)
    fire = await broker.ledger("s").record("pay", repeatable=repeatable)

    async def claim() -> None:
        told = await far.claims.claim(Entry("q", 0, "", "s", fire.id), "w", lease_ms=0)
        assert isinstance(told, Claim)
        assert told.attempt == 1

    await through_lost_replies(proxy, scripts.CLAIM.script, times, claim)
    assert await kinds(broker, fire.id) == {"recorded": 1, "started": 1}


async def test_a_sessions_fire_is_committed_once(
    server: OwnedServer, proxy: Proxy, times: int
) -> None:
    async with shop(server.url, "s") as near, shop(proxy.url, "s") as far:
        await _wired(near, far)

        async def fire() -> None:
            assert (await far.fire("till.count"))["ok"] is True

        await through_lost_replies(proxy, scripts.COMMIT, times, fire)
        assert len(await near.awaiting_settlement()) == 1
        assert await near.awaiting_settlement() == await far.awaiting_settlement()


@proves("settle:first-wins")
async def test_a_sessions_fire_is_settled_once(
    server: OwnedServer, proxy: Proxy, times: int
) -> None:
    async with shop(server.url, "s") as near, shop(proxy.url, "s") as far:
        await _wired(near, far)
        await far.fire("till.count")
        (fire_id,) = await far.awaiting_settlement()

        async def observe() -> None:
            told = await far.observe_effect(fire_id, {"source": "till", "status": "performed"})
            assert told["settled"] is True

        await through_lost_replies(proxy, scripts.COMMIT, times, observe)
        assert await near.settlement_if_known(fire_id) == await far.settlement_if_known(fire_id)
        (row,) = [row for row in await near.transitions() if row["id"] == fire_id]
        assert len(row.get("observations", [])) == 1


async def test_a_commit_is_known_again_however_much_others_committed_meanwhile(
    server: OwnedServer, proxy: Proxy, times: int
) -> None:
    async with shop(server.url, "s") as near, shop(proxy.url, "s") as far:
        await _wired(near, far)
        answers: list[object] = []

        async def fire() -> None:
            answers.append(await far.fire("till.count"))

        with anyio.fail_after(30):
            async with anyio.create_task_group() as group:
                proxy.hold_from(scripts.COMMIT.sha.encode())
                group.start_soon(fire)
                while not await near.awaiting_settlement():
                    await anyio.lowlevel.checkpoint()
                for count in range(OTHERS * times):
                    await near.update_state({"weight": count})
                proxy.cut()
                proxy.go_on()
        assert [fire_id.split("#")[0] for fire_id in await near.awaiting_settlement()] == [
            "till.count"
        ]
        assert len(answers) == 1


async def _wired(near: Session, far: Session) -> None:
    """Wire an action, and let the other door know the session as it stands."""
    await near.wire("app", ["till.count"], queue="nobody")
    await near.flush()
    await far.version()
