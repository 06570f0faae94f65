"""A replica takes over and lacks acknowledged writes: they are put back, or a conflict is told."""

import logging
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import anyio
import anyio.to_thread
import pytest

from onefate.broker import Broker, Settlement, open_broker, performed
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.embedded.probe import ask
from tests.chaos.places import quick, until
from tests.guarantees import proves
from tests.link.proxy import Proxy
from tests.servers import embedded_server

pytestmark = [proves("store:honest", "id:never-reused"), pytest.mark.timeout(120)]


@dataclass(slots=True)
class Pair:
    """A server and its replica, and the way by which clients reach whichever leads."""

    old: OwnedServer
    new: OwnedServer
    proxy: Proxy

    async def promote(self) -> None:
        """Let the replica lead; what the old server acknowledges from now on is lost."""
        await anyio.to_thread.run_sync(self._promote)

    def _promote(self) -> None:
        assert ask(self.old.socket, b"WAIT 1 5000\r\n") == b":1\r\n"
        assert ask(self.new.socket, b"REPLICAOF NO ONE\r\n") == b"+OK\r\n"

    async def move(self) -> None:
        """End the old server and lead every client to the new one."""
        self.proxy.lead_to(self.new.socket)
        await anyio.to_thread.run_sync(self.old.kill)
        self.proxy.cut()


@pytest.fixture
def servers() -> Iterator[tuple[OwnedServer, OwnedServer]]:
    at_once = {"repl-diskless-sync-delay": "0"}
    with embedded_server(tcp=True, config=at_once) as old:
        follows = {"replicaof": f"127.0.0.1 {old.port}"}
        with embedded_server(tcp=True, config={**at_once, **follows}) as new:
            while b"$9\r\nconnected\r\n" not in ask(new.socket, b"ROLE\r\n"):
                continue
            yield old, new


@pytest.fixture
async def pair(servers: tuple[OwnedServer, OwnedServer]) -> AsyncIterator[Pair]:
    old, new = servers
    async with Proxy(old.socket) as proxy:
        yield Pair(old, new, proxy)


@pytest.fixture
async def broker(pair: Pair) -> AsyncIterator[Broker]:
    async with open_broker(quick(pair.proxy.url)) as opened:
        yield opened


async def moved(pair: Pair, broker: Broker) -> None:
    """The broker is led to the new server and has put back what it knows of."""
    await pair.move()
    restored = broker.counters()["restored"] + broker.counters()["conflicts"]
    await until(lambda: broker.counters()["restored"] + broker.counters()["conflicts"] > restored)
    await broker.reassert()


@proves("settle:immutable", "wait:never-fails")
async def test_acknowledged_settlements_that_were_lost_are_put_back(
    pair: Pair, broker: Broker
) -> None:
    ledger = broker.ledger("s")
    fires = [await ledger.record("pay", index) for index in range(20)]
    await pair.promote()
    told = [(await ledger.settle(fire.id, performed(fire.id), by="w")).settlement for fire in fires]
    late = await ledger.record("pay", "late")
    woken: list[Settlement] = []

    async def wait() -> None:
        woken.append(await ledger.when_settled(late.id))

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        await until(lambda: broker.hub.open == 1)
        await moved(pair, broker)
        async with open_broker(quick(pair.new.url)) as other:
            for settlement in told:
                assert await other.ledger("s").settlement_if_known(settlement.id) == settlement
            assert [fire.id for fire in await other.ledger("s").awaiting()] == [late.id]
            again = await other.ledger("s").settle(fires[0].id, performed("other"), by="other")
            assert (again.won, again.settlement) == (False, told[0])
            with anyio.fail_after(20):
                last = await other.ledger("s").settle(late.id, performed(), by="other")
                await until(lambda: bool(woken))
    assert woken == [last.settlement]
    assert broker.counters()["restored"] == len(fires) + 1
    assert broker.counters()["conflicts"] == 0


@proves("settle:first-wins", "settle:immutable")
async def test_another_winner_on_the_new_server_is_a_reported_conflict(
    pair: Pair, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    await pair.promote()
    assert (await ledger.settle(fire.id, performed("old"), by="here")).won
    async with open_broker(quick(pair.new.url)) as other:
        second = await other.ledger("s").settle(fire.id, performed("new"), by="there")
        assert second.won
        with caplog.at_level(logging.WARNING, "onefate.ledger"):
            await moved(pair, broker)
        assert broker.counters()["conflicts"] >= 1
        assert fire.id in caplog.text
        assert await ledger.settlement_if_known(fire.id) == second.settlement
        life = await other.ledger("s").explain(fire.id)
    kept = [(each.kind, each.by) for each in life.happenings if each.kind == "lost"]
    assert kept == [("lost", "here")]


async def test_an_id_given_out_by_the_old_server_is_never_given_again(
    pair: Pair, broker: Broker
) -> None:
    ledger = broker.ledger("s")
    kept = [(await ledger.record("pay")).id for _ in range(3)]
    await pair.promote()
    lost = [(await ledger.record("pay")).id for _ in range(3)]
    async with open_broker(quick(pair.proxy.url)) as dying:
        lost += [(await dying.ledger("s").record("pay")).id for _ in range(3)]
    async with open_broker(quick(pair.new.url)) as early:
        minted = [(await early.ledger("s").record("pay")).id for _ in range(5)]
        await moved(pair, broker)
        minted += [(await ledger.record("pay")).id for _ in range(5)]
        minted += [(await early.ledger("s").record("pay")).id for _ in range(5)]
    every = [*kept, *lost, *minted]
    assert len(set(every)) == len(every)
    standing = {fire.id for fire in await ledger.awaiting()}
    assert standing == {*kept, *lost[:3], *minted}
