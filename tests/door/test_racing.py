"""Fifty agents in five processes fire at once: the gates hold as if there were one process."""

from collections import Counter
from typing import cast

import anyio
import pytest

from onefate.port import serve_to_agent
from tests.door.processes import together
from tests.door.world import door
from tests.guarantees import proves

Answer = dict[str, object]
PROCESSES = 5
AGENTS = 50


async def fifty(url: str, session_id: str, action: str, *, confirm: bool = False) -> list[Answer]:
    """What fifty agents were answered."""
    row = (url, session_id, action, "confirm" if confirm else "plain")
    with anyio.fail_after(60):
        said = await together("tests.door.racer", *[row] * PROCESSES)
    answers = [answer for each in said for answer in cast("list[Answer]", each)]
    assert len(answers) == AGENTS
    return answers


def fired(answers: list[Answer]) -> list[str]:
    """The ids of the fires among the answers."""
    return [str(answer["transitionId"]) for answer in answers if "transitionId" in answer]


@pytest.mark.parametrize(
    ("action", "reason"),
    [("till.open", "PRIOR_FIRE_PENDING"), ("till.close-day", "PRIOR_FIRE_PENDING")],
)
@proves("fire:atomic", "call:never-waits")
async def test_one_of_fifty_racers_fires_what_may_run_once_at_a_time(
    shared_url: str, action: str, reason: str
) -> None:
    async with door(shared_url, action) as session:
        await session.wire("app", [action], queue="nobody")
        answers = await fifty(shared_url, action, action)
        (winner,) = fired(answers)
        assert await session.awaiting_settlement() == [winner]
    refusals = [answer for answer in answers if "transitionId" not in answer]
    assert Counter(str(answer["reason"]) for answer in refusals) == {reason: AGENTS - 1}
    assert {answer["pendingTransitionId"] for answer in refusals} == {winner}


@proves("fire:atomic")
async def test_once_settled_a_once_action_is_never_fired_again(shared_url: str) -> None:
    async with door(shared_url, "once") as session:
        await session.wire("app", ["till.close-day"], queue="nobody")
        port = serve_to_agent(session)
        first = await port.call("shop.do_action", {"action": "close-day"})
        report: Answer = {"source": "ledger", "status": "performed"}
        await session.observe_effect(str(first["transitionId"]), report)
        answers = await fifty(shared_url, "once", "till.close-day")
    assert not fired(answers)
    assert {answer["reason"] for answer in answers} == {"DUPLICATE_EXECUTION"}


@proves("approve:spent-once", "fire:atomic")
async def test_one_yes_authorizes_one_fire_of_fifty(shared_url: str) -> None:
    async with door(shared_url, "refund") as session:
        await session.wire("app", ["till.refund"], queue="nobody")
        port = serve_to_agent(session)
        asked = await port.call("shop.do_action", {"action": "refund", "input": {"sale": 7}})
        ask = str(asked["askId"])
        assert (await session.approve(ask, by="Kim"))["ok"] is True
        answers = await fifty(shared_url, "refund", "till.refund", confirm=True)
        (winner,) = fired(answers)
        spent = [card for card in await session.asks() if card.get("spent")]
        assert [card["askId"] for card in spent] == [ask]
        rows = await session.transitions()
    used = [row for row in rows if row.get("askId") == ask]
    assert [row["id"] for row in used] == [winner]
    refusals = Counter(str(answer["reason"]) for answer in answers if "transitionId" not in answer)
    assert set(refusals) <= {"APPROVAL_SPENT", "APPROVAL_REQUIRED"}
    assert refusals.total() == AGENTS - 1
