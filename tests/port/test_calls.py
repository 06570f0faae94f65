"""Repeats, reports, looks, journeys and names: the traces of port-settlement §23, 31 to 43."""

import pytest

from onefate.broker.session import work
from onefate.port import texts
from tests.conformance.scenario import table
from tests.guarantees import proves
from tests.port.stage import failing, idle, position, returning, stage

pytestmark = proves("answer:absent-not-filled", "answer:one-truth")


async def test_31_a_second_fire_waits_for_the_first_to_settle() -> None:
    async with stage() as app:
        first = await app.do("one")
        second = await app.do("one")
        assert (second["judgment"], second["reason"]) == ("rejected", "PRIOR_FIRE_PENDING")
        assert second["pendingTransitionId"] == first["transitionId"]
        assert second["scope"] == "action"
        rows = (await app.call("whats_here"))["actions"]
        assert isinstance(rows, list)
        (held,) = (row for row in map(table, rows) if row["action"] == "a.one")
        assert held["priorFireUnsettled"] == first["transitionId"]
        await app.driver.flush()
        assert (await app.do("one"))["ok"] is True


async def test_32_once_is_once_until_a_person_acts() -> None:
    async with stage() as app:
        first = await app.do("once")
        await app.driver.flush()
        again = await app.do("once")
        assert again["reason"] == "DUPLICATE_EXECUTION"
        assert again["priorTransitionId"] == first["transitionId"]
        assert again["why"] == texts.DUPLICATE
        await app.report({"x": 3}, principal="user")
        assert (await app.do("once"))["ok"] is True


async def test_33_a_refused_fire_may_be_tried_again() -> None:
    async with stage({"a.once": failing}) as app:
        await app.do("once")
        await app.driver.flush()
        assert (await app.do("once"))["ok"] is True


@proves("answer:one-truth")
async def test_34_a_bare_report_settles_the_one_fire_it_meets() -> None:
    async with stage() as app:
        first, second = await app.do("w"), await app.do("u")
        await app.driver.flush()
        await app.report({"y": 1})
        assert (await app.did(first["transitionId"]))["judgment"] == "still-pending"
        settled = await app.did(second["transitionId"])
        assert (settled["effectStatus"], settled["effectVerified"]) == ("performed", True)


async def test_35_a_bare_report_that_meets_none_settles_none() -> None:
    async with stage() as app:
        fires = [await app.do("w"), await app.do("u")]
        await app.report({"q": 1})
        for fired in fires:
            assert (await app.did(fired["transitionId"]))["judgment"] == "still-pending"


async def test_36_staleness_is_served_until_it_is_answered() -> None:
    async with stage() as app:
        await app.report({"y": 1, "x": 2}, principal="user")
        for since in ({}, {"sinceVersion": 99}, {"sinceVersion": 2.5}):
            rows = (await app.call("whats_here", **since))["actions"]
            assert isinstance(rows, list)
            (row,) = (found for found in map(table, rows) if found["action"] == "a.read")
            assert (row["staleReads"], row["staleWrites"]) == (["x"], ["y"])
        await app.do("read")
        rows = (await app.call("whats_here", sinceVersion=99))["actions"]
        assert isinstance(rows, list)
        (row,) = (found for found in map(table, rows) if found["action"] == "a.read")
        assert "staleReads" not in row


async def test_37_the_last_step_completes_the_journey_in_its_own_answer() -> None:
    async with stage() as app:
        answer = await app.call("journey.last", step="n")
        assert (answer["frame"], answer["judgment"]) == ("completed", "done")
        assert (answer["standing"], answer["effectStatus"]) == ("done", "pending")
        again = await app.call("journey.last")
        assert again["frame"] == "open"


async def test_38_a_journey_that_cannot_open_leaves_the_open_one_alone() -> None:
    async with stage() as app:
        opened = await app.call("journey.j")
        blocked = await app.call("journey.shut")
        assert blocked["judgment"] == "blocked"
        assert blocked["keptFrame"] == "j"
        assert blocked["why"] == texts.BLOCKED_KEPT
        assert blocked["version"] == opened["version"]


async def test_40_a_folded_answer_describes_no_return_time() -> None:
    async with stage({"a.n": returning("pong")}) as app:
        fired = await app.do("n")
        await app.driver.flush()
        assert await app.fold(fired) == {
            "ok": True,
            "did": "a.n",
            "transitionId": "a.n#1",
            "effectStatus": "performed",
            "outcome": "committed",
            "effectVerified": "unobservable",
            "toNode": "a",
            "data": "pong",
            **position(3),
        }


async def test_40_a_folded_step_reads_its_journey_anew() -> None:
    async with stage({"a.nav": failing}) as app:
        fired = await app.call("journey.j", step="n")
        assert table(fired)["laterSteps"] == [{"step": "a.n", "status": "done"}]
        await app.driver.flush()
        await app.do("w")
        told = await app.fold(fired)
        assert told["awaitingState"] == ["a.w"]
        assert told["version"] == 5
        assert "howToSettle" not in told


async def test_40_a_fold_of_the_last_step_tells_the_journey_as_it_stands_now() -> None:
    async with stage({"a.n": failing}) as app:
        fired = await app.call("journey.last", step="n")
        assert fired["frame"] == "completed"
        await app.driver.flush()
        told = await app.fold(fired)
        assert (told["effectStatus"], told["standing"]) == ("refused", "failed")
        assert "frame" not in told
        assert "judgment" not in told


async def test_40_a_fold_of_the_last_step_that_stands_keeps_the_journey_done() -> None:
    async with stage() as app:
        fired = await app.call("journey.last", step="n")
        await app.driver.flush()
        told = await app.fold(fired)
        assert (told["frame"], told["judgment"], told["standing"]) == ("completed", "done", "done")


async def test_40_a_fold_after_the_frame_was_left_tells_only_how_the_journey_stands() -> None:
    async with stage() as app:
        fired = await app.call("journey.j", step="n")
        await app.call("journey.last")
        await app.driver.flush()
        told = await app.fold(fired)
        assert told["standing"] == "in-progress"
        assert "frame" not in told
        assert "readySteps" not in told


async def test_40_an_id_that_names_a_card_too_folds_nothing() -> None:
    async with stage() as app:
        fired = await app.do("ask")
        await app.do("pay")
        await app.driver.flush()
        assert await app.fold(fired) == fired


async def test_41_an_open_fire_folds_nothing() -> None:
    async with stage() as app:
        fired = await app.do("w")
        assert await app.fold(fired) == fired
        looked = await app.call("whats_here")
        assert await app.fold(looked) == looked


async def test_41_what_is_not_kept_any_more_folds_nothing() -> None:
    async with stage() as app:
        fired = {**await app.do("w"), "transitionId": "a.w#77"}
        assert await app.fold(fired) == fired


async def test_42_an_unknown_tool_names_the_tools_and_nothing_else() -> None:
    async with stage() as app:
        answer = await app.call("leave-journey")
        assert sorted(answer) == ["judgment", "ok", "reason", "tools"]
        assert answer["reason"] == "UNKNOWN_TOOL"


async def test_42_an_unknown_page_is_answered_with_the_pages() -> None:
    async with stage() as app:
        for target in ("cellar", ""):
            assert await app.call("whats_here", routeTo=target) == {
                "ok": False,
                "judgment": "error",
                "reason": "UNKNOWN_PAGE",
                "pages": ["a", "b"],
                **position(1),
            }


async def test_a_way_is_told_in_hops() -> None:
    async with stage() as app:
        assert (await app.call("whats_here", routeTo="b"))["routeTo"] == {
            "to": "b",
            "hops": [{"action": "a.nav", "to": "b"}],
            "means": texts.ROUTE,
        }
        assert (await app.call("whats_here", routeTo="a"))["routeTo"] == {
            "to": "a",
            "alreadyHere": True,
        }
        await app.do("nav")
        assert (await app.call("whats_here", routeTo="a"))["routeTo"] == {
            "to": "a",
            "why": texts.NO_ROUTE,
        }


async def test_a_switch_that_cannot_open_keeps_the_frame_and_says_so() -> None:
    async with stage({"a.w": idle}) as app:
        await app.call("journey.j")
        await app.driver.unmount("app")
        await app.driver.flush()
        answer = await app.call("journey.last")
        assert answer["reason"] == "ENTRY_NOT_MATERIALIZED"
        assert (answer["keptFrame"], answer["why"]) == ("j", texts.ENTRY_KEPT)
        assert (await app.call("journey.j"))["frame"] == "open"


@proves("settle:no-clock")
async def test_closing_work_settles_nothing() -> None:
    async with stage() as app:
        fired = await app.do("w")
        opened = table(await app.driver.begin_work("b", {"transitionId": fired["transitionId"]}))
        await app.driver.decide(lambda draft: work.done(draft, str(opened["workId"]), "disk full"))
        answer = await app.did(fired["transitionId"])
        assert answer["judgment"] == "still-pending"
        assert "stillWorking" not in answer


@pytest.mark.parametrize("name", ["instance", "offerId", "acknowledgementId"])
async def test_a_name_too_long_to_keep_is_refused_and_records_nothing(name: str) -> None:
    async with stage() as app:
        before = (await app.call("whats_here"))["version"]
        answer = await app.do("one", **{name: "x" * 1001})
        told = (answer["reason"], answer["argument"], answer["limit"])
        assert told == ("ARGUMENT_TOO_LONG", name, 1000)
        assert answer["version"] == before
