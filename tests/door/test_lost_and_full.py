"""A store that lost a session, or is full, or where others end it: its process lives on."""

from collections.abc import Iterator

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from onefate.broker import Broker, open_broker, open_session
from onefate.broker.door import deciding
from onefate.broker.ledger.changes import Entry
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.ledger.faults import BadName
from onefate.port import serve_to_agent
from tests.door.world import SHOP, STATE
from tests.guarantees import proves
from tests.servers import embedded_server

pytestmark = proves("store:honest", "fire:started-once")
OPTIONS = {"state": dict(STATE), "node": "stock"}


@pytest.fixture(scope="module")
def server() -> Iterator[OwnedServer]:
    with embedded_server() as started:
        yield started


async def test_a_session_the_store_lost_begins_anew_and_says_so(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_session(broker, "lost", SHOP, OPTIONS) as session:
        await session.sync("till")
        await session.update_state({"counted": 7})
        await broker.link.execute("FLUSHALL")
        seen = await serve_to_agent(session).call("shop.whats_here")
        assert seen["youAreOn"] == "stock"
        assert await session.state() == STATE
        assert await session.version() == 0
    assert "the store has lost it" in caplog.text
    async with open_session(broker, "lost", SHOP, OPTIONS) as again:
        assert await again.node() == "stock"


async def test_what_was_known_before_a_cancellation_is_not_part_of_a_new_beginning(
    server: OwnedServer, broker: Broker
) -> None:
    async with open_session(broker, "cancelled", SHOP, OPTIONS) as session:
        await session.update_state({"counted": 7})
        await anyio.to_thread.run_sync(server.pause)
        try:
            with anyio.move_on_after(0.05):
                await session.update_state({"counted": 8})
        finally:
            await anyio.to_thread.run_sync(server.resume)
        await broker.link.execute("FLUSHALL")
        assert await session.transitions() == []
        assert await session.version() == 0


@pytest.mark.parametrize("name", ["a b", "a\nb", "a" * 41, "\ud800"])
async def test_a_process_is_named_as_receipts_can_say_it(broker: Broker, name: str) -> None:
    with pytest.raises(BadName, match="The process name must"):
        async with open_session(broker, "named", SHOP, OPTIONS, name=name):
            raise AssertionError(name)


async def test_leaving_a_full_store_is_no_failure(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    try:
        with anyio.fail_after(10):
            async with open_session(broker, "full", SHOP, OPTIONS) as session:
                await session.register_handlers("app", {"stock.take": lambda _: None})
                await broker.link.execute("CONFIG", "SET", "maxmemory", "1")
    finally:
        await broker.link.execute("CONFIG", "SET", "maxmemory", "0")
    assert "stays wired" in caplog.text


async def test_what_is_done_on_the_side_takes_nobody_down(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        open_broker(broker.settings) as elsewhere,
        open_session(broker, "ended", SHOP, OPTIONS) as session,
        open_session(elsewhere, "ended", SHOP, OPTIONS) as other,
    ):
        await other.end()
        session.foresee(Entry("q", 0, "1-0", session.id, "stock.take#9"))
        with anyio.fail_after(5):
            while "was not done" not in caplog.text:
                await anyio.lowlevel.checkpoint()
        answer = await serve_to_agent(session).call("shop.whats_here")
        assert answer["reason"] == "STORE_REFUSED"


async def test_warnings_that_name_what_the_app_names_take_no_more_memory(
    broker: Broker, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deciding, "MOST_SAID", 2)
    async with open_session(broker, "labels", SHOP, OPTIONS) as session:
        for label in ("a", "a", "b", "c", "a"):
            await session.begin_work(label)
    assert [caplog.text.count(f"work {label} belongs") for label in "abc"] == [2, 1, 1]
