"""One session through several doors: what is pinned, what is shared, whose report is whose."""

import logging
from collections.abc import AsyncIterator
from typing import cast

import anyio
import pytest

from onefate.broker import Broker, open_broker
from onefate.broker.door import NoSuchSession, Session, attach_session, open_session
from onefate.broker.errors import ImpossibleId
from onefate.broker.journey import compile_map
from onefate.broker.ledger.faults import StillOpen, WrongKind, WrongPins
from onefate.broker.performing import report
from onefate.broker.session.attempt import FireOptions
from onefate.port import serve_to_agent
from tests.door.world import OPTIONS, SHOP, STATE, door
from tests.guarantees import proves

Wire = dict[str, object]
PLAIN: Wire = {"state": dict(STATE)}

pytestmark = proves("fire:atomic", "answer:one-truth")


@pytest.fixture
async def broker(shared_url: str) -> AsyncIterator[Broker]:
    async with open_broker(shared_url) as opened:
        yield opened


@pytest.fixture
def session_id(request: pytest.FixtureRequest) -> str:
    return str(request.node.name)[:100]


async def fired(session: Session, action: str) -> str:
    """Fire an action through a port; the id."""
    answer = await serve_to_agent(session).call("shop.do_action", {"action": action})
    return str(answer["transitionId"])


@proves("tools:bytes-stable")
async def test_a_session_is_refused_over_another_map_or_with_other_options(
    broker: Broker, session_id: str
) -> None:
    other = compile_map("shop", {"pages": {"till": {"actions": {"look": {"does": "Look"}}}}})
    async with open_session(broker, session_id, SHOP, PLAIN):
        with pytest.raises(WrongPins, match="map"):
            async with open_session(broker, session_id, other, PLAIN):
                pass
        with pytest.raises(WrongPins, match="options"):
            async with open_session(broker, session_id, SHOP, OPTIONS):
                pass


async def test_a_plain_ledger_is_no_session_and_a_session_no_plain_ledger(
    broker: Broker, session_id: str
) -> None:
    async with open_session(broker, session_id, SHOP, PLAIN):
        with pytest.raises(WrongKind):
            await broker.ledger(session_id).record("till.look")
    await broker.ledger("plain").record("till.look")
    with pytest.raises(WrongKind):
        async with open_session(broker, "plain", SHOP, PLAIN):
            pass


async def test_attaching_takes_the_options_it_was_created_with(
    broker: Broker, session_id: str
) -> None:
    with pytest.raises(NoSuchSession, match=session_id[:20]):
        async with attach_session(broker, session_id, SHOP):
            pass
    async with (
        open_session(broker, session_id, SHOP, OPTIONS),
        attach_session(broker, session_id, SHOP) as attached,
    ):
        assert attached.options.enforced
        assert await attached.state() == STATE


async def test_a_second_opener_finds_the_session_as_it_stands(shared_url: str) -> None:
    async with door(shared_url, "found") as first:
        await first.sync("stock")
        async with door(shared_url, "found") as second:
            assert await second.node() == "stock"
            await second.update_state({"taken": 3})
            assert (await first.state())["taken"] == 3
            assert await first.version() == await second.version()


@proves("fire:started-once", "wait:never-fails", "answer:three")
async def test_a_fire_through_one_door_is_performed_behind_another(shared_url: str) -> None:
    seen: list[object] = []

    async def look(given: object) -> object:
        seen.append(given)
        return {"notes": 12}

    async with door(shared_url, "behind") as till, door(shared_url, "behind") as relay:
        await till.register_actions("till", {"look": look})
        await relay.flush()
        fire = await fired(relay, "look")
        with anyio.fail_after(10):
            receipt = await relay.when_settled(fire)
        assert receipt["effectStatus"] == "performed"
        facts = [await serve_to_agent(each).settled_answer(fire) for each in (till, relay)]
        assert facts[0] is not None
        assert facts[0] == facts[1]
        assert facts[0].get("data") == {"notes": 12}
        assert seen == [None]


async def test_a_report_after_an_await_belongs_to_the_fire_whose_handler_makes_it(
    shared_url: str,
) -> None:
    both_run = anyio.Event()
    running = 0

    async def weigh(_given: object) -> None:
        nonlocal running
        running += 1
        if running == 2:
            both_run.set()
        await both_run.wait()
        await report({"weight": 4, "counted": 9})

    async with door(shared_url, "context") as session:
        await session.register_actions("till", {"weigh": weigh, "count": weigh})
        first, second = await fired(session, "weigh"), await fired(session, "count")
        with anyio.fail_after(10):
            receipts = [await session.when_settled(each) for each in (first, second)]
        for receipt in receipts:
            assert receipt["transition"]["attribution"]["basis"] == "handler-window"
            assert receipt["effectStatus"] == "performed"


async def test_a_plain_function_runs_in_a_thread_and_its_failure_is_an_answer(
    shared_url: str,
) -> None:
    def look(_given: object) -> None:
        raise OSError("the drawer is stuck")

    async with door(shared_url, "thread") as session:
        await session.register_actions("till", {"look": look})
        with anyio.fail_after(10):
            receipt = await session.when_settled(await fired(session, "look"))
        assert receipt["effectStatus"] == "refused"
        facts = await serve_to_agent(session).settled_answer(receipt["transition"]["id"])
        assert facts is not None
        assert facts.get("error") == "OSError: the drawer is stuck"


async def test_what_a_process_wired_is_not_wired_once_it_has_left(shared_url: str) -> None:
    async def look(_given: object) -> None: ...

    async with door(shared_url, "left") as stays:
        async with door(shared_url, "left") as leaves:
            await leaves.register_actions("till", {"look": look})
            await fired(stays, "look")
        answer = await serve_to_agent(stays).call("shop.do_action", {"action": "look"})
        assert answer["reason"] == "NOT_MATERIALIZED"


@proves("fire:started-once")
async def test_a_rejected_fire_is_not_started_any_more(broker: Broker, session_id: str) -> None:
    async with open_session(broker, session_id, SHOP, PLAIN) as session:
        await session.wire("app", ["till.look"], queue=f"q-{session_id[:20]}")
        fire = await fired(session, "look")
        await session.reject(fire)
        async with broker.queue(f"q-{session_id[:20]}", "w") as queue:
            (entry,) = await queue.take()
            claim = await queue.claim(entry)
        assert getattr(claim, "reason", None) == "settled"


async def test_evidence_of_a_fire_in_flight_rides_a_still_pending_answer(
    shared_url: str,
) -> None:
    started, release = anyio.Event(), anyio.Event()

    async def look(_given: object) -> None:
        started.set()
        await release.wait()

    async with door(shared_url, "evidence") as session:
        await session.register_actions("till", {"look": look})
        fire = await fired(session, "look")
        with anyio.fail_after(10):
            await started.wait()
        port = serve_to_agent(session)
        answer = await port.call("shop.did_it_work", {"transitionId": fire})
        evidence = cast("Wire", answer["evidence"])
        assert evidence["startedBy"] == session.name
        assert evidence["attempt"] == 1
        assert await port.settled_answer(fire) is None
        release.set()


@proves("id:impossible-raises")
async def test_impossible_ids_raise_at_once_and_by_name(shared_url: str) -> None:
    async with door(shared_url, "impossible") as session:
        await session.wire("app", ["till.refund", "till.look"], queue="nobody")
        await session.flush()
        asked = await serve_to_agent(session).call("shop.do_action", {"action": "refund"})
        rows = [row["id"] for row in await session.transitions()]
        for impossible in (
            rows[0],
            "till.look#99",
            "",
            "till.look",
            str(asked["askId"]),
            "\ud800#1",
        ):
            with anyio.fail_after(5), pytest.raises(ImpossibleId):
                await session.when_settled(impossible)
            with pytest.raises(ImpossibleId):
                await serve_to_agent(session).settled_answer(impossible)


@proves("approve:spent-once")
async def test_views_fix_the_principal(shared_url: str) -> None:
    async with door(shared_url, "views") as session:
        for view, principal in (
            (session.as_agent(), "agent"),
            (session.as_human(), "user"),
            (session.as_system(), "system"),
        ):
            assert view.principal == principal
            await session.wire("app", ["till.look"], queue="nobody")
            answer = await view.fire("till.look", FireOptions(source="unknown"))
            record = cast("Wire", answer["transition"])
            assert cast("Wire", record["cause"])["principal"] == principal
            assert not hasattr(view, "approve")


@proves("id:never-reused")
async def test_a_session_ends_once_nothing_is_open(shared_url: str) -> None:
    async with open_broker(shared_url) as broker:
        async with open_session(broker, "ending", SHOP, PLAIN) as session:
            await session.wire("app", ["till.look"], queue="nobody")
            fire = await fired(session, "look")
            with pytest.raises(StillOpen):
                await session.end()
            await session.reject(fire)
        async with attach_session(broker, "ending", SHOP) as again:
            await again.end()
        with pytest.raises(WrongKind, match="ended"):
            async with attach_session(broker, "ending", SHOP):
                pass


async def test_developers_are_told_once_that_another_queue_takes_over(
    shared_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "onefate")
    async with door(shared_url, "told") as session:
        for queue in ("first", "first", "second", "first"):
            await session.wire("app", ["till.look"], queue=queue)
    said = [record for record in caplog.records if "wired already" in record.getMessage()]
    assert len(said) == 1


async def test_a_failed_handler_leaves_its_traceback_in_the_log(
    shared_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def look(_given: object) -> None:
        raise OSError("the drawer is stuck")

    async with door(shared_url, "logged") as session:
        await session.register_actions("till", {"look": look})
        fire = await fired(session, "look")
        with anyio.fail_after(10):
            await session.when_settled(fire)
    (record,) = [each for each in caplog.records if each.exc_info]
    assert fire in record.getMessage()
    assert "the drawer is stuck" in caplog.text
