"""The book of cards and its doors (spec: graph-session §12)."""

from typing import cast

import pytest

from onefate.broker.session import approval
from onefate.broker.session.state import ABSENT, Wire
from tests.guarantees import proves
from tests.session.app import App, one_page

pytestmark = [proves("approve:spent-once", "settle:no-clock"), pytest.mark.usefixtures("kept")]

PAY: Wire = {"pay": {"does": "Pay", "confirm": True, "writes": ["paid"]}}


def enforced(policy: object = True, **options: object) -> App:  # noqa: FBT002 - the wire's word
    app = App(one_page(**PAY), requireHumanApproval=policy, **options)
    app.bind()
    return app


def ask(app: App, payload: object = ABSENT) -> str:
    return str(app.decide(lambda d: approval.confirm_ask(d, "p.pay", payload=payload))["askId"])


def approve(app: App, card: str, by: str = "nora") -> Wire:
    return app.decide(lambda d: approval.approve_ask(d, card, by=by, note="n" * 600))


def decline(app: App, card: str) -> Wire:
    return app.decide(lambda d: approval.decline_ask(d, card, by="nora"))


def revoke(app: App, card: str, principal: str | None = None) -> Wire:
    return app.decide(lambda d: approval.revoke_ask(d, card, by="nora", principal=principal))


def fate(app: App, card: str) -> str | None:
    found = app.decide(lambda d: approval.card_in_book(d, card))
    assert found is not None
    return app.decide(lambda d: approval.fate(d, found))


def test_every_door_is_for_enforced_sessions_and_named_people() -> None:
    plain = App(one_page(**PAY))
    card = ask(plain)
    assert approve(plain, card)["reason"] == "NOT_ENFORCED"
    app = enforced()
    card = ask(app)
    assert approve(app, card, by=" ")["reason"] == "NEEDS_DECIDER"
    told = app.decide(lambda d: approval.always_approve(d, "p.pay", by=""))
    assert told["reason"] == "NEEDS_DECIDER"
    told = app.decide(lambda d: approval.revoke_always_approve(d, "p.pay", by=""))
    assert told["reason"] == "NEEDS_DECIDER"
    assert told["explanation"]


def test_an_answer_is_never_overwritten() -> None:
    app = enforced()
    card = ask(app)
    record = cast("Wire", approve(app, card)["record"])
    assert len(str(record["note"])) == 500
    assert approve(app, card)["reason"] == "ASK_ALREADY_ANSWERED"
    assert decline(app, card)["reason"] == "ASK_ALREADY_ANSWERED"
    assert approve(app, "ask#99")["reason"] == "UNKNOWN_ASK"
    assert approve(app, "card")["reason"] == "UNKNOWN_ASK"


def test_what_can_be_withdrawn() -> None:
    app = enforced()
    card = ask(app)
    assert revoke(app, card)["reason"] == "REVOKE_UNANSWERED"
    assert revoke(app, card, "agent")["reason"] == "WRONG_PRINCIPAL"
    assert revoke(app, "ask#99")["reason"] == "UNKNOWN_ASK"
    approve(app, card)
    assert revoke(app, card, "user")["ok"] is True
    assert revoke(app, card)["reason"] == "ASK_ALREADY_ANSWERED"
    assert app.fire("p.pay", askId=card)["reason"] == "APPROVAL_REVOKED"
    spent = ask(app)
    approve(app, spent)
    app.done("p.pay", askId=spent)
    assert revoke(app, spent)["reason"] == "ASK_ALREADY_SPENT"


def test_the_fates_of_a_card() -> None:
    app = enforced({"expiresAfterMs": 10})
    waiting, declined = ask(app, 1), ask(app, 2)
    decline(app, declined)
    ready, withdrawn = ask(app, 3), ask(app, 4)
    approve(app, ready)
    approve(app, withdrawn)
    revoke(app, withdrawn)
    fates = [fate(app, card) for card in (waiting, declined, ready, withdrawn)]
    assert fates == ["awaiting-human", "declined", "approved-not-yet-done", "approval-withdrawn"]
    app.memory.now += 11
    assert fate(app, ready) == "approval-no-longer-valid"
    rows = app.decide(approval.asks)
    assert [sorted(set(row) - {"askId", "affordanceId", "does"}) for row in rows] == [
        [],
        ["answer"],
        ["answer", "stale"],
        ["answer", "revoked"],
    ]


def test_a_yes_to_a_world_that_has_moved() -> None:
    app = enforced({"refuseWhenWorldMoved": True})
    card = ask(app)
    approve(app, card)
    app.report({"x": 1}, principal="user")
    assert app.fire("p.pay", askId=card)["reason"] == "APPROVAL_STALE"


def test_a_card_that_is_no_yes() -> None:
    app = enforced()
    card = ask(app)
    assert app.fire("p.pay", askId=card)["reason"] == "APPROVAL_REQUIRED"
    assert app.fire("p.pay", askId="ask#99") == {
        "ok": False,
        "reason": "APPROVAL_REQUIRED",
        "affordanceId": "p.pay",
        "askId": "ask#99",
    }


def test_a_no_stands_without_a_pointer_and_above_a_grant() -> None:
    app = enforced()
    card = ask(app, 1)
    decline(app, card)
    app.decide(lambda d: approval.always_approve(d, "p.pay", by="nora"))
    assert app.fire("p.pay", payload=1)["askId"] == card
    assert app.fire("p.pay", payload=2)["ok"] is True


def test_a_grant_may_be_for_one_instance_and_may_end() -> None:
    app = enforced()
    grant = app.decide(
        lambda d: approval.always_approve(d, "p.pay", by="nora", instance="i1", expires_in=10)
    )
    assert grant["ok"] is True
    assert app.fire("p.pay", instance="i2")["reason"] == "APPROVAL_REQUIRED"
    assert app.fire("p.pay", instance="i1")["ok"] is True
    app.memory.now += 11
    refused = app.fire("p.pay", instance="i1")
    assert (refused["reason"], refused["askId"]) == ("APPROVAL_STALE", "grant#1")
    told = app.decide(
        lambda d: approval.revoke_always_approve(d, "p.pay", by="nora", instance="i2")
    )
    assert told["reason"] == "UNKNOWN_ASK"
    assert app.decide(lambda d: approval.revoke_always_approve(d, "p.pay", by="nora"))["ok"] is True
    assert app.fire("p.pay", instance="i1")["reason"] == "APPROVAL_REQUIRED"


def test_a_grant_remembers_its_first_two_fires() -> None:
    app = enforced()
    app.decide(lambda d: approval.always_approve(d, "p.pay", by="nora"))
    fires = [app.done("p.pay") for _ in range(3)]
    assert app.decide(lambda d: approval.fires_of(d, "grant#1")) == fires[:2]


def test_a_relayed_no_closes_nothing_under_enforcement() -> None:
    app = enforced()
    card = ask(app, 1)
    told = app.decide(lambda d: approval.decline_confirm(d, "p.pay", payload=1))
    assert told == {"askId": card, "relayed": True}
    assert fate(app, card) == "awaiting-human"
    assert app.decide(lambda d: approval.decline_confirm(d, "p.pay", payload=2)) == {
        "askId": "ask#2",
        "relayed": True,
    }


def test_without_enforcement_the_newest_card_is_the_newest_left() -> None:
    app = App(one_page(**PAY))
    first, second = ask(app, 1), ask(app, 2)
    told = app.decide(lambda d: approval.decline_confirm(d, "p.pay", payload=2))
    assert told == {"askId": second}
    newest = app.decide(lambda d: approval.newest(d, "p.pay"))
    assert newest is not None
    assert newest["askId"] == first
    app.decide(lambda d: approval.decline_confirm(d, "p.pay", payload=1))
    assert app.decide(lambda d: approval.newest(d, "p.pay")) is None


def test_a_card_shows_an_input_only_under_enforcement() -> None:
    for app, shown in ((App(one_page(**PAY)), False), (enforced(), True)):
        told = app.decide(lambda d: approval.confirm_ask(d, "p.pay", payload={"n": 1}))
        receipts = told["receipts"]
        assert isinstance(receipts, dict)
        assert ("willUse" in receipts) is shown
    told = app.decide(lambda d: approval.confirm_ask(d, "nobody.knows"))
    assert told["askId"] == "ask#2"


def test_what_an_action_without_input_is_sent_makes_no_difference() -> None:
    app = App(
        one_page(ring={"does": "Ring", "confirm": True, "input": "none"}), requireHumanApproval=True
    )
    app.bind()
    card = str(app.decide(lambda d: approval.confirm_ask(d, "p.ring", payload={}))["askId"])
    approve(app, card)
    assert app.decide(lambda d: approval.open_ask_for(d, "p.ring", "")) == card
    fire = app.done("p.ring", payload="", askId=card)
    assert "payload" not in app.record(fire)


def test_only_agents_are_gated() -> None:
    app = enforced()
    asked = approval.requires_human_approval_from
    draft = app.memory.draft()
    assert [asked(draft, who) for who in ("agent", "user", "system")] == [True, False, False]
    assert app.fire("p.pay", "user")["ok"] is True
    assert app.fire("p.pay", invoke=False)["ok"] is True


def test_a_policy_can_ask_for_a_yes_to_a_plain_action() -> None:
    action = {"does": "Open", "principalPolicy": {"requiresHumanApproval": True}}
    for enforce, reason in ((False, None), (True, "APPROVAL_REQUIRED")):
        app = App(one_page(open=action), requireHumanApproval=True, enforcePrincipalPolicy=enforce)
        app.bind()
        assert app.fire("p.open").get("reason") == reason
