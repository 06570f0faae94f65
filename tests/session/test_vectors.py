"""The vectors of the specification, one test each, in its order (spec: graph-session §17).

Where a departure says that our answer is another one, the test shows ours and names the departure.
"""

from typing import cast

import pytest

from onefate.broker.errors import WasStimulus
from onefate.broker.session import (
    acknowledge,
    approval,
    frames,
    offers,
    outcomes,
    registry,
    settle,
)
from onefate.broker.session.reads.changes import keys_changed_since
from onefate.broker.session.state import ABSENT, Wire
from tests.guarantees import proves
from tests.session.app import App, id_of, one_page

pytestmark = [
    proves("settle:first-wins", "fire:atomic", "answer:absent-not-filled"),
    pytest.mark.usefixtures("kept"),
]


def fails(_payload: object) -> object:
    raise RuntimeError("boom")


def selected_instances(_state: object) -> object:
    return ["o1", "o2"]


def stays_open(_payload: object) -> object:
    return ABSENT


def test_01_a_new_session_stands_at_nought() -> None:
    app = App()
    assert app.versions == (0, 0, 0)
    assert [row["affordanceId"] for row in app.look()] == ["p.W", "p.Z", "p.N", "p.C"]
    assert app.versions == (0, 0, 0)


def test_02_binding_is_one_structure_row() -> None:
    app = App()
    app.bind()
    assert app.versions == (1, 0, 1)
    assert app.rows == ["stimulus:structure-swap#0"]
    with pytest.raises(WasStimulus):
        app.receipt("stimulus:structure-swap#0")


def test_03_an_agent_fires_without_writes() -> None:
    app = App()
    app.bind()
    answer = app.fire("p.Z")
    assert id_of(answer) == "p.Z#1"
    assert (answer["version"], answer["settlement"], answer["effectStatus"]) == (
        3,
        "settled",
        "pending",
    )
    assert app.record("p.Z#1")["cursorVersion"] == 1
    app.flush()
    receipt = app.receipt("p.Z#1")
    assert receipt is not None
    assert (receipt["effectStatus"], receipt["outcome"]) == ("performed", "committed")
    assert receipt["transition"].get("effectVerified") == "unobservable"


def test_04_an_agent_cannot_fire_what_nothing_performs() -> None:
    app = App()
    answer = app.fire("p.Z")
    assert answer == {"ok": False, "reason": "NOT_MATERIALIZED", "affordanceId": "p.Z"}
    assert len(app.memory.snapshot.logs["gaps"]) == 1
    assert app.versions == (0, 0, 0)


def test_05_a_person_can() -> None:
    answer = App().fire("p.Z", "user")
    assert (answer["settlement"], answer["effectStatus"]) == ("settled", "unobservable")


def test_06_a_bare_report_settles_the_fire_whose_writes_it_names() -> None:
    app = App()
    app.bind()
    fired = id_of(app.fire("p.W"))
    assert app.report({"k": 1})["attributed"] is True
    record = app.record(fired)
    assert record["attribution"]["basis"] == "signature-match"
    assert record.get("effectVerified") is True


def test_07_a_bare_report_of_something_else_settles_nothing() -> None:
    """Departure 1: the reference gives it to the oldest fire."""
    app = App()
    app.bind()
    fired = app.done("p.W")
    answer = app.report({"x": 1})
    assert answer["attributed"] is False
    assert app.receipt(fired) is None
    assert cast("Wire", answer["transition"])["id"] == "stimulus:unknown#2"


def test_08_strictly_so_as_well() -> None:
    app = App(attributionPolicy="strict")
    app.bind()
    fired = app.done("p.W")
    app.report({"x": 1})
    assert app.receipt(fired) is None
    assert app.report({"k": 1})["attributed"] is True


def test_09_a_report_nobody_waits_for_is_inferred() -> None:
    app = App(one_page(W={"does": "Write", "writes": ["k"]}))
    app.bind()
    answer = app.report({"k": 1})
    assert answer["attributed"] is False
    record = app.record("p.W#1")
    assert record["cause"]["principal"] == "unknown"
    assert record["cause"].get("inferred") is True
    receipt = app.receipt("p.W#1")
    assert receipt is not None
    assert receipt["effectStatus"] == "unobservable"


def test_10_a_failed_navigation_walks_the_cursor_back() -> None:
    app = App()
    app.bind(fails)
    fired = id_of(app.fire("p.N"))
    assert app.memory.draft().position["node"] == "q"
    app.flush()
    assert app.record(fired)["outcome"] == "rolled-back"
    assert app.memory.draft().position["node"] == "p"
    assert app.record("sync:p#2")["cause"]["principal"] == "system"


def test_11_an_observed_arrival_moves_no_version() -> None:
    app = App()
    app.bind()
    fired = app.done("p.N")
    before = app.versions
    assert app.sync("q")["changed"] is False
    assert app.record(fired).get("arrival") == "observed"
    assert app.versions == before


def test_12_a_returned_failure_is_a_failure() -> None:
    app = App()
    app.bind(lambda _: {"ok": False, "error": "bad"})
    fired = app.done("p.Z")
    receipt = app.receipt(fired)
    assert receipt is not None
    assert (receipt["effectStatus"], receipt.get("error")) == ("refused", "bad")
    assert receipt["outcome"] == "rolled-back"


def test_13_a_tour_records_what_did_not_happen() -> None:
    app = App(
        one_page(T={"does": "Try", "writes": ["k"], "goTo": "q"}), allowUnmaterializedFires=True
    )
    answer = app.fire("p.T")
    assert (answer["executed"], answer["materialized"]) == (False, False)
    assert app.memory.draft().position["node"] == "q"
    gap = cast("Wire", app.memory.snapshot.logs["gaps"][0])
    assert gap["kind"] == "unmaterialized-fire"


def test_14_without_a_tap_the_handler_settles() -> None:
    app = App(state=None, stateTap=False)
    app.bind()
    answer = app.fire("p.W")
    assert (answer["settlement"], answer["effectStatus"]) == ("awaiting-state", "pending")
    app.flush()
    receipt = app.receipt(id_of(answer))
    assert receipt is not None
    assert receipt["effectStatus"] == "performed"
    assert receipt["transition"].get("effectVerified") == "unobservable"


def test_15_an_unknown_guard_key_hides_nothing() -> None:
    app = App(one_page(A={"does": "Act", "when": {"a": {"eq": 1}}}))
    row = app.served("p.A")
    assert row is not None
    assert (row["guardUnevaluated"], row["evidence"]) == (["a"], [])


def test_16_one_false_condition_hides() -> None:
    guard = {"a": {"eq": 1}, "b": {"eq": 2}}
    app = App(one_page(A={"does": "Act", "when": guard}), state={"a": 5})
    assert app.served("p.A") is None
    refused = app.fire("p.A", "user")
    assert refused["reason"] == "GUARD_FAILED"
    assert [c["result"] for c in cast("list[Wire]", refused["evidence"])] == [False]


def test_17_an_equal_value_is_a_motion_and_no_change() -> None:
    app = App(state={"k": 1})
    app.report({"k": 1})
    assert app.versions == (1, 1, 0)
    assert app.decide(keys_changed_since) == []


def test_18_ones_own_changes_are_no_news() -> None:
    app = App()
    app.bind()
    app.report({"x": 1}, principal="user")
    fired = app.done("p.W")
    app.report({"k": 1}, transition_id=fired)
    draft = app.memory.draft()
    assert keys_changed_since(draft, 0) == ["x", "k"]
    assert keys_changed_since(draft, 0, "agent") == ["x"]
    assert keys_changed_since(draft, 0, "user") == ["k"]


def test_19_a_yes_is_spent_once() -> None:
    app = App(requireHumanApproval=True)
    app.bind()
    assert app.fire("p.C")["reason"] == "APPROVAL_REQUIRED"
    card = str(app.decide(lambda d: approval.confirm_ask(d, "p.C"))["askId"])
    assert card == "ask#2"
    assert app.decide(lambda d: approval.approve_ask(d, card, by="nora"))["ok"] is True
    assert app.record(app.done("p.C", askId=card)).get("askId") == card
    again = app.fire("p.C", askId=card)
    assert (again["reason"], again["askId"]) == ("APPROVAL_SPENT", card)


def test_20_a_yes_is_for_what_was_shown() -> None:
    app = App(
        one_page(C={"does": "Pay", "confirm": True}, D={"does": "Void", "confirm": True}),
        requireHumanApproval=True,
    )
    app.bind()
    card = str(app.decide(lambda d: approval.confirm_ask(d, "p.C", payload={"n": 1}))["askId"])
    app.decide(lambda d: approval.approve_ask(d, card, by="nora"))
    assert app.fire("p.C", payload={"n": 2}, askId=card)["differs"] == "input"
    assert app.fire("p.D", payload={"n": 1}, askId=card)["differs"] == "action"
    assert app.fire("p.C", payload={"n": 1.0}, askId=card)["ok"] is True


def test_21_once_unless_it_failed_or_a_person_acted() -> None:
    app = App(one_page(O={"does": "Close", "concurrency": {"mode": "once"}}))
    app.bind(fails)
    first = app.receipt(app.done("p.O"))
    assert first is not None
    assert first["effectStatus"] == "refused"
    app.handlers["p.O"] = lambda _: "closed"
    second = app.done("p.O")
    refused = app.fire("p.O")
    assert (refused["reason"], refused["priorTransitionId"]) == ("DUPLICATE_EXECUTION", second)
    app.report({"x": 1}, principal="user")
    third = app.fire("p.O")
    assert cast("Wire", third["repeated"])["priorTransitionId"] == second


def test_22_what_was_read_has_moved() -> None:
    action = {"does": "Order", "reads": ["price"], "freshness": {"readChanges": "require-ack"}}
    app = App(one_page(F=action), state={"price": 1})
    app.bind()
    assert app.fire("p.F")["reason"] == "OFFER_REQUIRED"
    row = app.served("p.F")
    assert row is not None
    offer = cast("Wire", row["offerRef"])["offerId"]
    assert app.fire("p.F", offerId=offer)["ok"] is True
    app.report({"price": 2}, principal="user")
    refused = app.fire("p.F", offerId=offer)
    assert refused["reason"] == "ACKNOWLEDGEMENT_REQUIRED"
    assert refused["moved"] == [{"axis": "reads", "response": "require-ack", "keys": ["price"]}]
    ack = app.decide(lambda d: acknowledge.acknowledge_stale(d, "p.F"))["acknowledgementId"]
    assert app.fire("p.F", offerId=offer, acknowledgementId=ack)["ok"] is True


def test_23_the_oldest_offers_are_dropped() -> None:
    app = App(freshness={"readChanges": "refuse"}, maxOffers=3)
    for value in range(5):
        app.look()
        app.report({"x": value})
    draft = app.memory.draft()
    assert offers.standing(draft, "offer#1") == "evicted"
    assert offers.standing(draft, "offer#999") == "unknown"
    assert offers.retention(draft) == {
        "minted": 20,
        "dropped": 17,
        "firstRetained": "offer#18",
        "lastRetained": "offer#20",
    }


def test_24_a_frame_is_demoted_when_its_condition_fails() -> None:
    definition = one_page()
    definition["journeys"] = {"j": {"does": "Flow", "when": {"on": {"eq": 1}}, "steps": ["W"]}}
    app = App(definition, state={"on": 1})
    app.bind()
    app.decide(lambda d: frames.commit_journey(d, "j"))
    before = app.versions
    app.report({"on": 0})
    (closed,) = app.decide(frames.closed_frames)
    assert (closed["status"], closed["closedAtVersion"]) == ("demoted", before[0] + 1)
    assert app.versions == (before[0] + 2, before[1] + 1, before[2] + 1)


def test_26_the_apps_own_check_has_the_last_word() -> None:
    action = {"does": "Set", "writes": ["v"], "verify": {"v": {"eq": 1}}}
    app = App(one_page(V=action), state={"v": 0})
    app.bind()
    fired = app.done("p.V")
    app.report({"v": 2}, transition_id=fired)
    receipt = app.receipt(fired)
    assert receipt is not None
    assert (receipt["effectStatus"], receipt["outcome"]) == ("refused", "committed")
    assert receipt.get("verifyHeld") is False


def test_27_already_true_waits_for_no_report() -> None:
    action = {"does": "Set", "writes": ["v"], "verify": {"v": {"eq": 1}}}
    app = App(one_page(V=action), state={"v": 1})
    app.bind()
    answer = app.fire("p.V")
    assert [c["key"] for c in cast("list[Wire]", answer["alreadyTrue"])] == ["v"]
    app.flush()
    receipt = app.receipt(id_of(answer))
    assert receipt is not None
    assert (receipt["effectStatus"], receipt.get("verifyHeld")) == ("performed", True)


def test_28_an_open_modal_masks_the_page() -> None:
    definition: Wire = {
        "pages": {
            "p": {
                "modals": {"m": {"actions": {"ok": {"does": "Close"}}}},
                "actions": {"a": {"does": "Act"}},
            }
        }
    }
    app = App(definition)
    app.decide(lambda d: registry.show(d, "p.m"))
    app.flush()
    assert [row["affordanceId"] for row in app.look()] == ["p.m.ok"]
    refused = app.fire("p.a", expectedVersion=999)
    assert (refused["reason"], refused["overlay"]) == ("BLOCKED_BY_OVERLAY", "p.m")


@pytest.mark.parametrize(("selected", "verdict"), [(True, "never-existed"), (False, "unsupported")])
def test_29_instances_exist_or_do_not(*, selected: bool, verdict: str) -> None:
    rows: Wire = {"repeats": True, "actions": {"bump": {"does": "Bump"}}}
    if selected:
        rows["instances"] = selected_instances
    app = App({"pages": {"p": {"areas": {"rows": rows}}}})
    app.bind()
    assert app.fire("p.rows.bump")["reason"] == "INSTANCE_REQUIRED"
    refused = app.fire("p.rows.bump", instance="zz")
    assert (refused["reason"], refused["verdict"]) == ("INSTANCE_UNKNOWN", verdict)


def test_30_a_page_outside_the_map_is_followed() -> None:
    app = App()
    app.bind()
    assert app.sync("zzz")["offGraph"] is True
    app.sync("p")
    app.sync("zzz")
    assert app.look() == []
    gaps = [cast("Wire", gap) for gap in app.memory.snapshot.logs["gaps"].values()]
    assert [gap["kind"] for gap in gaps] == ["dead-end"]


def test_a_second_settler_changes_nothing() -> None:
    app = App()
    app.bind(stays_open)
    fired = app.done("p.Z")
    app.decide(lambda d: outcomes.observe_effect(d, fired, {"source": "s", "status": "performed"}))
    first = app.receipt(fired)
    app.decide(lambda d: outcomes.handler_threw(d, fired, "late"))
    assert app.receipt(fired) == first
    assert app.record(fired)["outcome"] == "rolled-back"
    assert app.decide(settle.awaiting_settlement) == []
