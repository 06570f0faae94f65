"""What other systems get wrong, each by the behaviour that is right; all on a real server."""

from collections.abc import Awaitable, Callable

import anyio
import pytest

from onefate.broker import (
    Broker,
    BrokerSettings,
    Claim,
    Entry,
    Ledger,
    NotClaimed,
    Settlement,
    open_broker,
    performed,
    refused,
)
from onefate.broker.errors import Forgotten, ImpossibleId, NeverExisted
from onefate.broker.ledger import scripts
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.faults import StaleFence, TokenReused
from onefate.broker.ledger.hub import Hub
from onefate.broker.ledger.opening import open_link
from onefate.broker.ledger.store import Store
from tests.chaos.children import child
from tests.chaos.places import quick, until
from tests.guarantees import proves
from tests.link.proxy import Proxy

pytestmark = pytest.mark.timeout(120)

WAITERS = 5000


@proves("id:impossible-raises", "answer:three")
async def test_an_unknown_id_is_not_pending(broker: Broker) -> None:
    ledger = broker.ledger("s")
    with anyio.fail_after(5):
        for door in (ledger.when_settled, ledger.settlement_if_known, ledger.fire):
            with pytest.raises(NeverExisted):
                await door("pay#0")


@proves("id:impossible-raises", "store:declared")
async def test_asking_about_an_unknown_id_creates_nothing(broker: Broker) -> None:
    ledger = broker.ledger("s")
    before = await broker.link.execute("DBSIZE")
    doors: list[Callable[[], Awaitable[object]]] = [
        lambda: ledger.settle("pay#7", performed(), by="w"),
        lambda: ledger.observe("pay#7", source="bank", status="refused"),
        lambda: ledger.note("pay#7", {}, by="w"),
        lambda: ledger.when_settled("pay#7"),
        lambda: ledger.explain("pay#7"),
    ]
    for door in doors:
        with pytest.raises(NeverExisted):
            await door()
    claim = await broker.claims.claim(Entry("q", 0, "", "s", "pay#7"), "w", lease_ms=1)
    assert isinstance(claim, NotClaimed)
    assert claim.reason == "absent"
    assert await broker.link.execute("DBSIZE") == before


@proves("id:impossible-raises", "settle:immutable")
@pytest.mark.parametrize("left", ["nothing", "the fire alone"])
async def test_forgotten_is_neither_never_existed_nor_open_nor_free(
    broker: Broker, left: str
) -> None:
    ledger, keys = broker.ledger("s"), broker.keys("s")
    fire = await ledger.record("pay")
    await ledger.settle(fire.id, performed(), by="w")
    gone = [keys.settlement("0"), keys.journal("0"), keys.payload("0")]
    await broker.link.execute("DEL", *gone, *([keys.fire("0")] if left == "nothing" else []))
    with anyio.fail_after(5):
        for door in (ledger.when_settled, ledger.settlement_if_known):
            with pytest.raises(Forgotten):
                await door(fire.id)
        with pytest.raises(Forgotten):
            await ledger.settle(fire.id, refused("again"), by="late")


@proves("settle:first-wins", "settle:immutable")
async def test_the_last_writer_does_not_win(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    first = await ledger.settle(fire.id, performed(1), by="one")
    for outcome in (performed(2), refused("no")):
        late = await ledger.settle(fire.id, outcome, by="two")
        assert (late.won, late.settlement) == (False, first.settlement)
    assert await ledger.settlement_if_known(fire.id) == first.settlement


@proves("settle:immutable", "fire:started-once")
async def test_an_attempt_that_stalled_and_comes_back_changes_no_answer(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay", repeatable=True)
    entry = Entry("q", 0, "", "s", fire.id)
    stalled = await broker.claims.claim(entry, "w1", lease_ms=0)
    second = await broker.claims.claim(entry, "w2", lease_ms=0)
    assert isinstance(stalled, Claim)
    assert isinstance(second, Claim)
    with pytest.raises(StaleFence):
        await ledger.settle(fire.id, refused("too late"), by="w1", fence=stalled.fence)
    told = await ledger.settle(fire.id, performed(2), by="w2", fence=second.fence)
    late = await ledger.settle(fire.id, performed(1), by="w1", fence=stalled.fence)
    assert (told.won, late.won, late.settlement) == (True, False, told.settlement)
    assert not await broker.claims.beat(stalled, "w1")


@proves("answer:one-truth")
async def test_every_reader_gets_the_answer_and_none_uses_it_up(
    broker: Broker, settings: BrokerSettings
) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    told = await ledger.settle(fire.id, performed(None), by="w")
    async with open_broker(settings) as other:
        for reader in (ledger, other.ledger("s"), ledger, other.ledger("s")):
            assert await reader.settlement_if_known(fire.id) == told.settlement
            assert await reader.when_settled(fire.id) == told.settlement


@proves("answer:absent-not-filled")
async def test_a_result_of_nothing_is_no_missing_result(broker: Broker) -> None:
    ledger = broker.ledger("s")
    bare, nothing = await ledger.record("pay"), await ledger.record("pay")
    without = await ledger.settle(bare.id, performed(), by="w")
    given = await ledger.settle(nothing.id, performed(None), by="w")
    assert "data" not in without.settlement.envelope
    assert given.settlement.envelope == {"data": None}


@proves("answer:three", "fire:started-once")
async def test_queued_is_not_unknown(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay", queue="q")
    assert await ledger.settlement_if_known(fire.id) is None
    stands = await ledger.fire(fire.id)
    assert (stands.status, stands.queue, stands.started) == ("open", "q", None)


@proves("settle:no-clock")
async def test_what_is_pending_never_expires_and_its_life_begins_at_its_settlement(
    settings: BrokerSettings,
) -> None:
    shortest = BrokerSettings(url=settings.url, retention_ms=50)
    async with open_broker(shortest) as broker:
        ledger, keys = broker.ledger("s"), broker.keys("s")
        fire = await ledger.record("pay", {"n": 1}, queue="q")
        await ledger.note(fire.id, {"seen": True}, by="camera")
        for key in (keys.fire("0"), keys.payload("0"), keys.journal("0")):
            assert await broker.link.execute("PTTL", key) == -1
        with anyio.move_on_after(0.2) as scope:
            await ledger.when_settled(fire.id)
        assert scope.cancelled_caught
        told = await ledger.settle(fire.id, performed(), by="w")
        assert told.won
        left = await broker.link.execute("PTTL", keys.fire("0"))
        assert isinstance(left, int)
        assert left <= 50


@proves("fire:atomic", "id:never-reused")
async def test_one_key_with_other_arguments_is_refused(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay", {"amount": 1}, token="order-7")
    assert (await ledger.record("pay", {"amount": 1}, token="order-7")).id == fire.id
    with pytest.raises(TokenReused):
        await ledger.record("pay", {"amount": 2}, token="order-7")


@proves("fire:atomic", "answer:one-truth")
async def test_state_and_result_are_never_seen_apart(
    broker: Broker, settings: BrokerSettings
) -> None:
    ledger = broker.ledger("s")
    fires = [await ledger.record("pay") for _ in range(50)]
    async with open_broker(settings) as other, anyio.create_task_group() as group:
        for fire in fires:
            group.start_soon(_settled_at_once, other.ledger("s"), fire.id)
        for fire in fires:
            await ledger.settle(fire.id, performed(fire.id), by="w")


async def _settled_at_once(ledger: Ledger, fire_id: str) -> None:
    while (await ledger.fire(fire_id)).status == "open":
        continue
    settlement = await ledger.settlement_if_known(fire_id)
    assert settlement is not None
    assert settlement.data == fire_id


@proves("wait:no-lost-wakeup")
@pytest.mark.parametrize("moment", [b"SUBSCRIBE", scripts.LOOK.script.sha.encode()])
async def test_a_settlement_at_any_moment_of_a_waits_beginning_ends_it(
    broker: Broker, far: Broker, proxy: Proxy, moment: bytes
) -> None:
    fire = await broker.ledger("s").record("pay")
    await broker.link.execute("SCRIPT", "LOAD", scripts.LOOK.script.source)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            proxy.hold_from(moment)
            group.start_soon(far.ledger("s").when_settled, fire.id)
            await proxy.seen(moment)
            await broker.ledger("s").settle(fire.id, performed(), by="w")
            proxy.go_on()


@proves("wait:no-lost-wakeup")
async def test_after_a_reconnect_the_channel_is_confirmed_before_anything_is_read(
    broker: Broker, far: Broker, proxy: Proxy
) -> None:
    fire = await broker.ledger("s").record("pay")
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(far.ledger("s").when_settled, fire.id)
            await until(lambda: far.hub.open == 1)
            await far.ledger("s").settlement_if_known(fire.id)
            proxy.chunks.clear()
            proxy.close_door()
            proxy.cut()
            await broker.ledger("s").settle(fire.id, performed(), by="w")
            await proxy.open_door()
    sent = b"".join(proxy.chunks)
    assert sent.index(b"SUBSCRIBE") < sent.index(b"MGET")


@proves("wait:no-lost-wakeup", "settle:lost-reply")
async def test_a_settler_that_never_hears_its_answer_has_woken_every_waiter(
    server: OwnedServer, broker: Broker, proxy: Proxy
) -> None:
    await broker.link.execute("SCRIPT", "LOAD", scripts.SETTLE.script.source)
    async with child("tests.chaos.holding", server.url) as waiter:
        fire_id = str(await waiter.said())
        async with open_broker(quick(proxy.url)) as dying, anyio.create_task_group() as group:
            proxy.lose_reply(scripts.SETTLE.script.sha.encode())
            proxy.close_door()
            group.start_soon(_settle, dying, fire_id)
            with anyio.fail_after(20):
                assert await waiter.said() == "done"
            group.cancel_scope.cancel()


async def _settle(broker: Broker, fire_id: str) -> None:
    await broker.ledger("s").settle(fire_id, performed("done"), by="dying")


@proves("wait:never-fails")
async def test_one_waiters_end_is_not_its_neighbours(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    woken: list[Settlement] = []

    async def wait() -> None:
        woken.append(await ledger.when_settled(fire.id))

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            group.start_soon(wait)
            await until(lambda: broker.hub.counters.waits == 2)
            with anyio.move_on_after(0.05) as scope:
                await ledger.when_settled(fire.id)
            assert scope.cancelled_caught
            await ledger.settle(fire.id, performed(), by="w")
    assert woken == [await ledger.settlement_if_known(fire.id)] * 2


@proves("wait:never-fails", "settle:no-clock")
async def test_a_wait_outlives_every_timeout_of_its_connection(server: OwnedServer) -> None:
    hasty = BrokerSettings(url=server.url, heartbeat=0.02, deadline=0.3, patience=0.05)
    async with open_broker(hasty) as broker:
        ledger = broker.ledger("s")
        fire = await ledger.record("pay")
        woken: list[Settlement] = []

        async def wait() -> None:
            woken.append(await ledger.when_settled(fire.id))

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await until(lambda: broker.hub.open == 1)
            beats = broker.counters()["heartbeats"]
            await until(lambda: broker.counters()["heartbeats"] > beats + 20)
            assert not woken
            await ledger.settle(fire.id, performed(), by="w")
    assert len(woken) == 1


@proves("wait:no-lost-wakeup")
async def test_one_connection_serves_thousands_of_waiters(
    server: OwnedServer, broker: Broker, settings: BrokerSettings
) -> None:
    fires = [await broker.ledger("s").record("pay") for _ in range(10)]
    woken: list[Settlement] = []
    async with open_broker(settings) as waiting:

        async def wait(fire_id: str) -> None:
            woken.append(await waiting.ledger("s").when_settled(fire_id))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                for index in range(WAITERS):
                    group.start_soon(wait, fires[index % len(fires)].id)
                await until(lambda: waiting.hub.counters.waits == WAITERS)
                clients = await broker.link.execute("CLIENT", "LIST")
                assert isinstance(clients, bytes)
                assert clients.count(b"\n") == 2
                for fire in fires:
                    await broker.ledger("s").settle(fire.id, performed(), by="w")
        assert waiting.counters()["connects"] == 1
    assert len(woken) == WAITERS
    assert server.is_running


@proves("wait:no-lost-wakeup")
async def test_what_nobody_announces_is_found_by_the_sweep(
    broker: Broker, settings: BrokerSettings
) -> None:
    fire = await broker.ledger("s").record("pay")
    link = await open_link(settings)
    hub = Hub(Store(link, settings), sweep=0.02)
    try:
        hub.start()
        with anyio.fail_after(20):
            async with anyio.create_task_group() as group:
                group.start_soon(hub.wait, "s", fire.id)
                await until(lambda: hub.open == 1)
                await hub.look("s", fire.id)
                await link.unsubscribe(broker.keys("s").partition.wake)
                await broker.ledger("s").settle(fire.id, performed(), by="w")
        assert hub.counters.healed_by_sweep == 1
    finally:
        await hub.aclose()
        await link.aclose()


@proves("answer:three", "id:impossible-raises")
async def test_each_no_has_a_name_of_its_own(broker: Broker) -> None:
    assert issubclass(NeverExisted, ImpossibleId)
    assert issubclass(Forgotten, ImpossibleId)
    assert NeverExisted("a#1").code != Forgotten("a#1").code
    fire = await broker.ledger("s").record("pay")
    assert await broker.ledger("s").settlement_if_known(fire.id) is None
