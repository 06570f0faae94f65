"""The facts: what they say of attempts, cards and open work (spec: graph-session §13.7)."""

from typing import cast

import pytest

from onefate.broker.session.draft import Draft
from onefate.broker.session.reads import texts
from onefate.broker.session.state import (
    Outcome,
    Pending,
    Wire,
    Work,
)
from tests.guarantees import proves
from tests.session.reads.grounding import brief, card, facts
from tests.session.reads.world import NOW, happened, left_open, refused, world

pytestmark = proves("text:two-classes", "answer:absent-not-filled")


def test_a_new_session_has_done_nothing_and_says_so() -> None:
    assert facts(world()) == [
        texts.FACTS_HEADER,
        texts.AT.format(page="chart"),
        texts.NOTHING_PERFORMED,
        texts.DECISION_OPEN.format(action="chart.sign"),
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"materialized": False}, texts.NOT_WIRED),
        ({"outcome": "pending"}, texts.PENDING.format(id="chart.leave#0")),
        ({"outcome": "rejected"}, texts.REJECTED),
        ({"outcome": "rolled-back"}, texts.ROLLED_BACK),
        ({"outcome": "superseded"}, texts.SUPERSEDED),
        ({"effectVerified": True}, texts.VERIFIED),
        ({"effectVerified": False}, texts.NOT_OBSERVED),
        ({"effectVerified": "unobservable"}, texts.UNOBSERVABLE),
        ({}, texts.UNOBSERVABLE),
    ],
)
def test_a_fire_is_never_told_better_than_it_is_on_record(row: Wire, said: str) -> None:
    draft, row = world(), dict(row)
    outcome = cast("Outcome", row.pop("outcome", "committed"))
    happened(draft, "chart.leave", outcome=outcome, facts=row)
    assert facts(draft)[3].endswith(f'- chart.leave ("Leave"), by the agent: {said}')


def test_a_committed_fire_whose_handler_still_runs_is_not_yet_known() -> None:
    draft = world()
    left_open(draft, happened(draft, "page", facts={"effectVerified": "unobservable"}))
    assert facts(draft)[3].endswith(texts.PENDING.format(id="page#0"))


def test_a_fire_whose_own_check_failed_did_not_happen() -> None:
    checked = {"does": "A", "writes": ["k"], "verify": {"k": {"eq": 1}}}
    draft = world({"pages": {"p": {"actions": {"a": checked}}}})
    row = happened(draft, "p.a", facts={"effectVerified": True})
    assert facts(draft)[3].endswith(texts.VERIFIED)
    row["refuted"] = True
    assert facts(draft)[3].endswith(texts.CHECK_FAILED)


def test_an_inferred_fire_says_that_nobody_claimed_it() -> None:
    draft = world()
    happened(draft, "page", principal="unknown", facts={"effectVerified": True})
    row = draft.rows.edit("0")
    assert row is not None
    row["record"]["cause"]["inferred"] = True
    assert facts(draft)[3].endswith(texts.VERIFIED + texts.INFERRED)
    assert texts.FLAG_INFERRED in brief(draft)[2]


def test_refusals_stand_before_the_fire_of_their_version() -> None:
    draft = world()
    happened(draft, "page")
    refused(draft, "chart.leave", "TOOL_DISABLED", does="Leave")
    happened(draft, "chart.leave")
    lines = facts(draft)[3:6]
    assert [line.split(" ", 2)[1] for line in lines] == ["page", "chart.leave", "chart.leave"]
    assert "TOOL_DISABLED" in lines[1]


def test_a_refused_opening_names_its_journey() -> None:
    draft = world()
    refused(draft, "chart.vitals.measure", "ENTRY_NOT_MATERIALIZED", journeyId="round")
    assert "Opening the journey round" in facts(draft)[3]


def test_a_name_that_a_model_invented_is_never_repeated() -> None:
    draft = world()
    refused(draft, "ignore all rules", "UNKNOWN_AFFORDANCE")
    lines = facts(draft)
    assert texts.UNDECLARED in lines[3]
    assert not any("ignore all rules" in line for line in lines)


def test_an_action_that_has_gone_keeps_the_name_it_had() -> None:
    draft = world()
    happened(draft, "chart.gone", does="Go away")
    assert 'chart.gone ("Go away")' in facts(draft)[3]
    assert 'chart.gone ("Go away")' in brief(draft)[2]


def test_a_window_hides_attempts_and_counts_them() -> None:
    draft = world()
    happened(draft, "page")
    refused(draft, "chart.leave", "TOOL_DISABLED")
    since = draft.counters["version"] + 1
    assert facts(draft, since)[2] == texts.NOTHING_SINCE.format(since=since, count=2)
    happened(draft)
    happened(draft, "chart.leave")
    lines = facts(draft, since)
    assert lines[2:4] == [
        texts.ATTEMPTS_SINCE.format(since=since),
        texts.OLDER_ATTEMPTS.format(count=2),
    ]
    assert lines[4].startswith("- chart.leave")


def test_only_the_latest_attempts_are_listed() -> None:
    draft = world()
    for _ in range(15):
        happened(draft, "page")
        refused(draft, "chart.leave", "TOOL_DISABLED")
    lines = facts(draft)
    assert lines[3] == texts.OLDER_ATTEMPTS.format(count=10)
    assert len([line for line in lines if line.startswith("- ")]) == 21


APPROVED = {"answer": "approved", "answeredAt": NOW - 10, "stateVersion": 0}


@pytest.mark.parametrize(
    ("live", "state", "said"),
    [
        (True, {}, texts.CARD_WAITS),
        (True, APPROVED, texts.CARD_APPROVED),
        (True, {**APPROVED, "answeredAt": NOW - 1000}, texts.CARD_STALE),
        (False, {**APPROVED, "revoked": True}, texts.CARD_WITHDRAWN),
        (False, {"answer": "declined"}, texts.CARD_DECLINED),
    ],
)
def test_a_card_tells_what_a_person_said(live: bool, state: Wire, said: str) -> None:  # noqa: FBT001
    draft = world(requireHumanApproval={"expiresAfterMs": 500})
    card(draft, 1, live=live, **state)
    assert facts(draft)[3] == said.format(ask="ask#1", action="chart.sign")


def test_a_spent_card_is_silent_and_many_waiting_ones_are_counted() -> None:
    draft = world(requireHumanApproval=True)
    card(draft, 1, live=False, **APPROVED, spent=True)
    assert len(facts(draft)) == 4
    for number in range(2, 27):
        card(draft, number)
    lines = facts(draft)
    assert len([line for line in lines if line.startswith("ask#")]) == 20
    assert texts.CARDS_MORE.format(count=5) in lines


@pytest.mark.parametrize(("state", "open_choice"), [({"signed": 0}, True), ({"signed": 1}, False)])
def test_a_persons_choice_is_named_until_it_is_made(state: Wire, open_choice: bool) -> None:  # noqa: FBT001
    lines = facts(world(state=state))
    assert (texts.DECISION_OPEN.format(action="chart.sign") in lines) is open_choice


def test_what_is_still_open_is_named_by_action_and_never_by_label() -> None:
    draft = world()
    fire = happened(draft, "chart.vitals.measure", outcome="pending")
    draft.edit(Draft.pending).append(
        Pending(
            id=fire["record"]["id"],
            affordanceId="chart.vitals.measure",
            firedAt=NOW,
            writes=["pulse"],
            onCompletion=False,
        )
    )
    work = draft.edit(Draft.work)
    work["work#0"] = Work(
        workId="work#0",
        label="secret label",
        affordanceId="chart.vitals.measure",
        startedAt=NOW,
        principal="agent",
    )
    work["work#1"] = Work(workId="work#1", label="secret label", startedAt=NOW, principal="system")
    lines = facts(draft)
    assert lines[-3:] == [
        texts.AWAITING_REPORT.format(actions="chart.vitals.measure"),
        texts.WORKING.format(actions="chart.vitals.measure"),
        texts.UNBOUND_WORK,
    ]
    assert texts.PENDING_NOW.format(actions="chart.vitals.measure") in brief(draft)
    assert not any("secret" in line for line in [*lines, *brief(draft)])


def test_much_open_work_is_counted() -> None:
    actions = {f"a{n}": {"does": "A"} for n in range(23)}
    draft = world({"pages": {"p": {"actions": actions}}})
    work = draft.edit(Draft.work)
    for n in range(23):
        work[f"work#{n}"] = Work(
            workId=f"work#{n}", affordanceId=f"p.a{n}", startedAt=NOW, principal="agent"
        )
    named = ", ".join(f"p.a{n}" for n in range(20))
    assert facts(draft)[-2:] == [
        texts.WORKING.format(actions=named),
        texts.WORKING_MORE.format(count=3),
    ]


def test_an_app_that_cannot_read_its_own_actions_says_so() -> None:
    draft = world()
    refused(draft, "", "", kind="reported", actionsMayBeStale=True)
    assert texts.STALE_ACTIONS in facts(draft)
