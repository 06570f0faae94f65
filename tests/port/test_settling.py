"""How fires come to rest, as an agent hears it: the traces of port-settlement §23, 1 to 19."""

import pytest

from onefate.broker.session import motion
from onefate.port import texts
from tests.conformance.scenario import Json, table
from tests.guarantees import proves
from tests.port.stage import HandlerError, Stage, failing, position, returning, stage

pytestmark = proves("answer:three", "answer:absent-not-filled")

NOPE = {"ok": False, "error": "nope"}


def without(answer: dict[str, Json], *keys: str) -> dict[str, Json]:
    return {key: value for key, value in answer.items() if key not in keys}


async def test_1_a_fire_without_writes_is_pending_until_its_handler_has_returned() -> None:
    async with stage({"a.n": returning("pong")}) as app:
        fired = await app.do("n")
        assert fired == {
            "ok": True,
            "did": "a.n",
            "settlement": "settled",
            "effectStatus": "pending",
            "transitionId": "a.n#1",
            "howToSettle": texts.how_to_settle("g.did_it_work"),
            "settleWith": {"tool": "g.did_it_work", "arg": "transitionId"},
            **position(3),
        }
        assert await app.did(fired["transitionId"]) == {
            "ok": True,
            "settled": True,
            "did": "a.n",
            "effectStatus": "performed",
            "outcome": "committed",
            "effectVerified": "unobservable",
            "toNode": "a",
            "data": "pong",
            **position(3),
        }


async def test_2_a_fire_that_nobody_reports_stays_pending() -> None:
    async with stage() as app:
        fired = await app.do("w")
        assert (fired["settlement"], fired["effectStatus"]) == ("awaiting-state", "pending")
        for _ in range(3):
            assert await app.did(fired["transitionId"]) == {
                "ok": True,
                "settled": False,
                "judgment": "still-pending",
                "did": "a.w",
                "howToAct": texts.STILL_PENDING,
                **position(2),
            }
        asked = await app.call("did_it_work")
        assert asked["pending"] == asked["awaitingSettlement"] == ["a.w#1"]


@pytest.mark.parametrize(("delta", "verified"), [({"x": 1}, True), ({"z": 1}, False), ({}, False)])
async def test_3_and_4_a_report_that_names_the_fire_settles_it(
    delta: dict[str, Json], *, verified: bool
) -> None:
    async with stage() as app:
        fired = await app.do("w")
        await app.driver.flush()
        await app.report(delta, transitionId=fired["transitionId"])
        assert await app.did(fired["transitionId"]) == {
            "ok": True,
            "settled": True,
            "did": "a.w",
            "effectStatus": "performed",
            "outcome": "committed",
            "effectVerified": verified,
            "writesObserved": verified,
            "toNode": "a",
            **position(3),
        }


async def test_5_a_handler_that_throws_before_a_report_refuses_the_fire() -> None:
    async with stage({"a.w": failing}) as app:
        fired = await app.do("w")
        assert await app.did(fired["transitionId"]) == {
            "ok": True,
            "settled": True,
            "did": "a.w",
            "effectStatus": "refused",
            "outcome": "rejected",
            "error": "HandlerError: nope",
            **position(3),
        }


async def test_6_a_handler_that_answers_not_ok_rolls_its_commit_back() -> None:
    async with stage({"a.n": returning(NOPE)}) as app:
        fired = await app.do("n")
        answer = await app.did(fired["transitionId"])
        assert answer["effectStatus"] == "refused"
        assert answer["outcome"] == "rolled-back"
        assert answer["effectVerified"] == "unobservable"
        assert answer["error"] == "nope"


async def test_7_a_failed_navigation_walks_the_cursor_back() -> None:
    async with stage({"a.nav": failing}) as app:
        fired = await app.do("nav")
        assert fired["youAreOn"] == "b"
        assert fired["toNodeClaimed"] is True
        answer = await app.did(fired["transitionId"])
        assert answer["youAreOn"] == "a"
        assert without(answer, "arrivalMeans", "error", "version", "youAreOn") == {
            "ok": True,
            "settled": True,
            "did": "a.nav",
            "effectStatus": "refused",
            "outcome": "rolled-back",
            "effectVerified": "unobservable",
            "arrival": "claimed",
            "toNode": "b",
        }


@proves("settle:immutable")
async def test_8_a_handler_that_throws_after_the_report_is_a_later_fact() -> None:
    async def report_then_throw(_payload: object) -> object:
        await app.report({"x": 1})
        return await failing(None)

    async with stage({"a.w": report_then_throw}) as app:
        fired = await app.do("w")
        answer = await app.did(fired["transitionId"])
        assert (answer["effectStatus"], answer["outcome"]) == ("performed", "committed")
        assert "outcomeNow" not in answer
        assert "error" not in answer
        assert isinstance(answer["later"], list)
        later = table(answer["later"][0])
        assert (later["what"], later["error"]) == ("handler-failed", "HandlerError: nope")


@proves("settle:immutable")
async def test_9_a_reject_after_rest_moves_only_the_outcome() -> None:
    async with stage() as app:
        fired = await app.do("w")
        await app.report({"x": 1}, transitionId=fired["transitionId"])
        before = await app.did(fired["transitionId"])
        await app.reject(fired["transitionId"])
        after = await app.did(fired["transitionId"])
        assert after["outcomeNow"] == "rolled-back"
        assert after["howToAct"] == texts.OUTCOME_MOVED
        moved = ("outcomeNow", "howToAct", "version")
        assert without(after, *moved) == without(before, *moved)


async def test_10_a_reject_of_a_pending_fire_settles_it() -> None:
    async with stage() as app:
        first, second = await app.do("w"), await app.do("u")
        await app.driver.flush()
        await app.reject(first["transitionId"])
        await app.reject(second["transitionId"], "superseded")
        one, two = await app.did(first["transitionId"]), await app.did(second["transitionId"])
        assert (one["effectStatus"], one["outcome"]) == ("refused", "rejected")
        assert (two["effectStatus"], two["outcome"]) == ("unobservable", "superseded")


async def test_11_a_check_that_fails_refuses_and_the_report_stands() -> None:
    async with stage() as app:
        fired = await app.do("v")
        await app.report({"x": 5}, transitionId=fired["transitionId"])
        answer = await app.did(fired["transitionId"])
        assert answer["effectStatus"] == "refused"
        assert answer["outcome"] == "committed"
        assert answer["effectVerified"] is True
        assert answer["writesObserved"] is True
        assert answer["verifyHeld"] is False
        assert answer["error"]


async def test_12_a_check_that_fails_without_a_report_rolls_back() -> None:
    async with stage() as app:
        answer = await app.did((await app.do("check"))["transitionId"])
        assert (answer["effectStatus"], answer["outcome"]) == ("refused", "rolled-back")
        assert answer["verifyHeld"] is False


async def test_13_a_check_that_knows_no_state_is_unevaluable() -> None:
    async with stage(state={}) as app:
        answer = await app.did((await app.do("check"))["transitionId"])
        assert (answer["effectStatus"], answer["verifyHeld"]) == ("performed", "unevaluable")


async def test_14_what_is_true_already_awaits_no_report() -> None:
    async with stage(state={"x": 1}) as app:
        fired = await app.do("v")
        assert fired["alreadyTrue"]
        assert fired["why"] == texts.ALREADY_TRUE
        assert (fired["settlement"], fired["effectStatus"]) == ("awaiting-state", "pending")
        answer = await app.did(fired["transitionId"])
        assert answer["effectStatus"] == "performed"
        assert answer["effectVerified"] == "unobservable"
        assert answer["verifyHeld"] is True
        assert answer["alreadyTrue"] == fired["alreadyTrue"]


async def test_14_a_refused_fire_carries_no_already_true() -> None:
    async with stage({"a.v": failing}, state={"x": 1}) as app:
        answer = await app.did((await app.do("v"))["transitionId"])
        assert answer["effectStatus"] == "refused"
        assert "alreadyTrue" not in answer
        assert "why" not in answer


async def test_15_a_tour_records_and_performs_nothing() -> None:
    async with stage(allowUnmaterializedFires=True) as app:
        await app.driver.unmount("app")
        await app.driver.flush()
        fired = await app.do("n")
        assert (fired["settlement"], fired["effectStatus"]) == ("settled", "unobservable")
        assert fired["executed"] is False
        assert fired["materialized"] is False
        assert "howToSettle" not in fired
        answer = await app.did(fired["transitionId"])
        assert answer["materialized"] is False
        assert answer["why"] == texts.NOTHING_EXECUTED


async def test_16_a_page_that_is_seen_confirms_the_arrival() -> None:
    async with stage() as app:
        fired = await app.do("nav")
        before = await app.did(fired["transitionId"])
        assert before["arrival"] == "claimed"
        await sync(app, "b")
        after = await app.did(fired["transitionId"])
        assert after["arrival"] == "observed"
        assert after["version"] == before["version"]


async def sync(app: Stage, page: str) -> None:
    await app.driver.decide(lambda draft: motion.sync(draft, page))


@proves("settle:immutable")
async def test_17_the_first_outside_report_settles_and_a_second_is_only_kept() -> None:
    async with stage() as app:
        fired = await app.do("w")
        told = {"source": "stripe", "status": "performed", "evidenceRef": "ch_1"}
        await app.observe(fired["transitionId"], **told)
        first = await app.did(fired["transitionId"])
        assert first["settledBy"] == "external-report"
        assert first["reportedBy"] == "stripe"
        assert first["evidenceOnRecord"] is True
        assert "ch_1" not in str(first)
        await app.observe(fired["transitionId"], source="bank", status="refused")
        second = await app.did(fired["transitionId"])
        assert without(second, "later") == first
        assert second["later"]


async def test_18_a_handler_that_fails_after_an_outside_report_shows_as_outcome_now() -> None:
    async def waiting(_payload: object) -> object:
        return await app.driver.deferred("n")

    async with stage({"a.n": waiting}) as app:
        fired = await app.do("n")
        await app.driver.flush()
        await app.observe(fired["transitionId"], source="stripe", status="performed")
        await app.driver.release("n", None, HandlerError("nope"))
        answer = await app.did(fired["transitionId"])
        assert (answer["effectStatus"], answer["outcome"]) == ("performed", "committed")
        assert answer["outcomeNow"] == "rolled-back"


@proves("fire:started-once")
async def test_18_nothing_starts_for_a_fire_that_is_at_rest() -> None:
    async with stage({"a.n": failing}) as app:
        fired = await app.do("n")
        await app.observe(fired["transitionId"], source="stripe", status="performed")
        answer = await app.did(fired["transitionId"])
        assert answer["effectStatus"] == "performed"
        assert "outcomeNow" not in answer


@proves("settle:no-clock")
async def test_19_open_work_shows_on_both_arms_and_settles_nothing() -> None:
    async with stage() as app:
        fired = await app.do("w")
        named = {"transitionId": fired["transitionId"]}
        await app.driver.begin_work("frame 1 of 9", named)
        await app.driver.tick(10**9)
        pending = await app.did(fired["transitionId"])
        assert pending["judgment"] == "still-pending"
        assert pending["stillWorking"] is True
        await app.report({"x": 1}, **named)
        settled = await app.did(fired["transitionId"])
        assert settled["stillWorking"] is True
        assert settled["effectStatus"] == "performed"
