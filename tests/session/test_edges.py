"""The far ends of the machine: what is missing, dropped, unknown or said twice."""

import pickle
from typing import cast

import pytest

from onefate.broker.errors import Forgotten, NeverExisted
from onefate.broker.session import (
    acknowledge,
    approval,
    errors,
    frames,
    offers,
    outcomes,
    registry,
    rows,
    staleness,
)
from onefate.broker.session.attempt import Attempt, FireOptions
from onefate.broker.session.draft import Decision, Draft
from onefate.broker.session.memory import Memory
from onefate.broker.session.options import SessionOptions
from onefate.broker.session.state import ABSENT, Wire
from tests.guarantees import proves
from tests.session.app import App, id_of, one_page

pytestmark = proves("answer:absent-not-filled", "id:impossible-raises", "fire:atomic")


def stays_open(_payload: object) -> object:
    return ABSENT


@pytest.mark.parametrize(
    "error",
    [
        errors.BadOption("maxOffers", "must be a whole number"),
        errors.UnknownNode("x", ["p", "q"]),
        errors.UnknownAction("p.x"),
        errors.UnknownJourney("j"),
        errors.UnknownName("app", "x"),
        errors.NotRepeated("p"),
        errors.NotAFire("sync:p#1"),
        errors.NothingToReject("p.W#1"),
    ],
)
def test_errors_pickle_and_say_one_sentence(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (type(copy), str(copy)) == (type(error), str(error))
    assert str(error).endswith(".")


def test_options_are_read_once_and_stored_without_functions() -> None:
    app = App(node="q", navigate=True, redactedKeys=["pin"], state={"a": 1})
    wire = app.memory.options.wire
    assert wire == {"node": "q", "navigate": True, "redactedKeys": ["pin"], "stateTap": True}
    assert SessionOptions.read(wire, app.memory.map).state_tap is True
    for option, value in {
        "node": "nowhere",
        "redactedFields": {"payload": [1]},
        "requireHumanApproval": {"expiresAfterMs": -1},
    }.items():
        with pytest.raises((errors.BadOption, errors.UnknownNode)):
            SessionOptions.read({option: value}, app.memory.map)


def test_a_session_in_memory_decides_by_itself() -> None:
    memory = Memory(App().memory.map)
    assert memory.decide(lambda d: d.version_up()) is None
    assert memory.draft().counters["version"] == 1
    assert not Decision()


def test_parts_of_a_draft_are_named_on_its_class() -> None:
    draft = App().memory.draft()
    assert draft.section(Draft.position.name) is draft.position
    assert draft.rows is draft.rows
    assert Draft.rows.table == "rows"
    assert Draft.gaps.log == "gaps"
    assert draft.gaps.tail(3) == []


def test_readers_belong_to_the_group_that_brought_them() -> None:
    code = App().memory.code
    code.hold("one", "p.W", lambda: 1)
    code.hold("two", "p.W", lambda: 2)
    code.release("two")
    assert [reader() for _, reader in code.holds["p.W"]] == [1]


def test_what_is_not_there_is_not_edited() -> None:
    app = App()
    draft = app.memory.draft()
    with pytest.raises(KeyError):
        rows.edit(draft, "p.W#0")
    with pytest.raises(KeyError):
        _ = Attempt(draft, "p.nope", FireOptions()).known
    assert draft.rows.edit("0") is None
    assert acknowledge.retention(draft) == {"minted": 0, "dropped": 0}
    assert offers.find(draft, "offer#1") is None


def test_a_receipt_that_is_gone_is_forgotten() -> None:
    app = App()
    app.bind()
    fire = app.done("p.Z")
    del app.memory.snapshot.tables["receipts"][fire]
    with pytest.raises(Forgotten):
        app.receipt(fire)


def test_a_frame_that_is_gone_has_no_steps_to_take_back() -> None:
    definition = one_page()
    definition["journeys"] = {"j": {"does": "Flow", "steps": ["Z"]}}
    app = App(definition)
    app.bind()
    app.decide(lambda d: frames.commit_journey(d, "j"))
    fire = app.done("p.Z")
    app.decide(frames.leave_journey)
    app.decide(lambda d: frames.commit_journey(d, "j"))
    assert [frame["status"] for frame in app.decide(frames.closed_frames)] == ["completed"]
    app.memory.snapshot.tables["frames"].clear()
    app.decide(lambda d: outcomes.reject(d, fire))
    assert app.record(fire)["outcome"] == "rolled-back"


def test_a_claim_moves_nobody_who_has_gone_elsewhere() -> None:
    app = App(one_page(go={"does": "Go", "goTo": "q", "writes": ["k"]}))
    app.bind(stays_open)
    fire = app.done("p.go")
    app.sync("q")
    assert app.record(fire).get("arrival") == "observed"
    app.sync("p")
    app.sync("elsewhere")
    app.report({"k": 1}, transition_id=fire)
    assert app.memory.draft().position["node"] == "elsewhere"
    record = app.record(fire)
    assert (record.get("toNode"), record.get("arrival")) == ("q", "observed")


def test_already_true_is_not_said_of_a_page_that_is_elsewhere() -> None:
    action = {"does": "Go", "goTo": "q", "writes": ["k"], "verify": {"k": {"eq": 1}}}
    app = App(one_page(go=action), state={"k": 1})
    app.bind()
    assert "alreadyTrue" not in app.fire("p.go")


def test_an_outside_source_refuses_an_open_fire() -> None:
    app = App()
    app.bind(stays_open)
    fire = app.done("p.Z")
    seen: Wire = {"source": "bank", "status": "refused"}
    app.decide(lambda d: outcomes.observe_effect(d, fire, seen))
    receipt = app.receipt(fire)
    assert receipt is not None
    assert cast("Wire", receipt.get("error"))["source"] == "bank"
    assert receipt["outcome"] == "rolled-back"


def test_an_instance_is_released_with_its_handle() -> None:
    rows_node: Wire = {"repeats": True, "actions": {"bump": {"does": "Bump"}}}
    app = App({"pages": {"p": {"areas": {"rows": rows_node}}}})
    handles = [
        app.decide(
            lambda d: registry.register_actions(d, "p.rows", handlers=["bump"], instance="r1")
        )
        for _ in range(2)
    ]
    assert handles[0].get("instance") == "r1"
    app.decide(lambda d: registry.unregister(d, handles[0]["id"]))
    assert app.memory.draft().nodes["instances"] == {"p.rows": {"r1": 1}}
    app.decide(lambda d: registry.unregister(d, handles[1]["id"]))
    assert app.memory.draft().nodes["instances"] == {}


def test_a_node_that_is_not_repeated_has_no_instances() -> None:
    app = App()
    app.bind()
    assert app.fire("p.Z", instance="any")["ok"] is True


def test_cards_that_cannot_be_compared_let_nothing_pass() -> None:
    app = App(one_page(pay={"does": "Pay", "confirm": True}), requireHumanApproval=True)
    app.bind()
    odd = float("nan")
    card = str(app.decide(lambda d: approval.confirm_ask(d, "p.pay", payload=odd))["askId"])
    app.decide(lambda d: approval.approve_ask(d, card, by="nora"))
    refused = app.fire("p.pay", payload=1, askId=card)
    assert (refused["reason"], refused["differs"]) == ("APPROVAL_MISMATCH", "cannot-judge")


def test_a_card_about_an_instance() -> None:
    app = App(one_page(pay={"does": "Pay", "confirm": True}), requireHumanApproval=True)
    app.bind()
    told = app.decide(lambda d: approval.confirm_ask(d, "p.pay", payload=1, instance="a"))
    card = str(told["askId"])
    app.decide(lambda d: approval.approve_ask(d, card, by="nora"))
    said = [app.fire("p.pay", payload=n, instance=i, askId=card) for n, i in ((2, "b"), (1, "b"))]
    assert [answer["differs"] for answer in said] == ["both", "instance"]
    (row,) = app.decide(approval.asks)
    assert row.get("instance") == "a"
    fire = id_of(app.fire("p.pay", payload=1, instance="a", askId=card))
    assert app.record(fire).get("instance") == "a"
    (row,) = app.decide(approval.asks)
    assert row.get("spent") is True


def test_a_card_of_an_action_nobody_declared_is_answered_like_any_other() -> None:
    app = App(requireHumanApproval=True)
    card = str(app.decide(lambda d: approval.confirm_ask(d, "p.nope"))["askId"])
    app.decide(lambda d: approval.approve_ask(d, card, by="nora"))
    (row,) = app.decide(approval.asks)
    assert row == {"askId": card, "affordanceId": "p.nope", "answer": "approved"}
    told = app.decide(lambda d: approval.decline_confirm(d, "p.nope"))
    assert told == {"askId": "ask#2", "relayed": True}


def test_without_a_card_a_relayed_no_gets_an_id() -> None:
    app = App()
    assert app.decide(lambda d: approval.decline_confirm(d, "p.C")) == {"askId": "ask#1"}


def test_a_fire_over_unknown_conditions_says_so() -> None:
    app = App(one_page(act={"does": "Act", "when": {"open": {"eq": 1}}}))
    app.bind()
    assert app.record(app.done("p.act")).get("guardUnevaluated") == ["open"]


def test_what_is_registered_is_not_still_mounting() -> None:
    definition: Wire = {"pages": {"p": {"areas": {"a": {"actions": {"go": {"does": "Go"}}}}}}}
    app = App(definition)
    app.decide(lambda d: registry.register_actions(d, "p.a"))
    assert app.fire("p.a.go", "user")["ok"] is True


def test_a_name_that_no_store_can_write_names_nothing() -> None:
    app = App()
    with pytest.raises(NeverExisted):
        app.receipt("\ud800")


def test_a_failure_takes_nobody_back_who_has_moved_on() -> None:
    definition = one_page(there={"does": "There", "goTo": "q"})
    definition["pages"] = {
        **cast("Wire", definition["pages"]),
        "q": {"actions": {"on": {"does": "On", "goTo": "r"}}},
        "r": {},
    }
    app = App(definition)
    app.bind(stays_open)
    fire = app.done("p.there")
    app.done("q.on")
    app.decide(lambda d: outcomes.handler_threw(d, fire, "late"))
    assert app.memory.draft().position["node"] == "r"
    assert app.record(fire)["outcome"] == "rolled-back"


def test_saying_the_same_again_changes_nothing() -> None:
    app = App()
    app.bind()
    app.decide(lambda d: registry.set_busy(d, "app", "p.Z", "Busy"))
    app.flush()
    before = app.versions
    app.decide(lambda d: registry.set_busy(d, "app", "p.Z", "Busy"))
    app.flush()
    assert app.versions == before
    app.decide(lambda d: staleness.carry(d, "p.Z", ["a", "b", "a"]))
    app.decide(lambda d: staleness.carry(d, "p.Z", ["b"]))
    assert app.decide(lambda d: staleness.clear(d, "p.Z", "agent", ["b", "c"])) == ["b"]
    assert app.decide(lambda d: staleness.carried(d, "p.Z")) == ["a"]
    app.decide(lambda d: registry.unregister(d, "app"))
    app.decide(lambda d: registry.unregister(d, "app"))
    assert app.memory.draft().registry["groups"] == {}


def test_the_latest_row_that_changed_a_key_is_the_latest_fired() -> None:
    app = App()
    app.bind()
    first, second = app.done("p.W"), app.done("p.W")
    app.report({"k": 1}, transition_id=second)
    app.report({"k": 2}, transition_id=first)
    assert app.memory.draft().changes["k"]["agent"]["row"] == 2


def test_a_report_that_touches_no_decision_leaves_the_book_of_them() -> None:
    decides: Wire = {"does": "Choose", "humanDecides": {"doneWhen": {"choice": {"eq": 1}}}}
    app = App(one_page(choose=decides, open={"does": "Open", "humanDecides": {}}))
    app.report({"choice": 1})
    app.report({"other": 1}, principal="user")
    assert app.memory.draft().decided == {}


def test_a_declined_card_is_a_no_whatever_it_is_presented_for() -> None:
    actions: Wire = {name: {"does": name, "confirm": True} for name in ("a", "b")}
    app = App(one_page(**actions), requireHumanApproval=True)
    app.bind()
    card = str(app.decide(lambda d: approval.confirm_ask(d, "p.a"))["askId"])
    app.decide(lambda d: approval.decline_ask(d, card, by="nora"))
    assert app.fire("p.b", askId=card)["reason"] == "APPROVAL_DECLINED"


def test_dropping_an_older_card_leaves_the_newest() -> None:
    app = App(one_page(pay={"does": "Pay", "confirm": True}))
    app.bind()
    app.decide(lambda d: approval.confirm_ask(d, "p.pay", payload=1))
    second = app.decide(lambda d: approval.confirm_ask(d, "p.pay", payload=2))
    app.done("p.pay", payload=1)
    newest = app.decide(lambda d: approval.newest(d, "p.pay"))
    assert newest is not None
    assert newest["askId"] == second["askId"]


def test_a_stimulus_cannot_be_rejected_and_a_grant_needs_enforcement() -> None:
    app = App()
    app.bind()
    with pytest.raises(errors.NotAFire):
        app.decide(lambda d: outcomes.reject(d, "stimulus:structure-swap#0"))
    told = app.decide(lambda d: approval.revoke_ask(d, "ask#1", by="nora"))
    assert told["reason"] == "NOT_ENFORCED"
    told = app.decide(lambda d: approval.always_approve(d, "p.C", by="nora"))
    assert told["reason"] == "NOT_ENFORCED"
