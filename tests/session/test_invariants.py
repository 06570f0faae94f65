"""Laws that hold after every decision, whatever an app, a person and an agent do in which order."""

import json
from typing import cast

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from onefate.broker.session import approval, frames, outcomes, registry, settle
from onefate.broker.session.errors import NothingToReject
from onefate.broker.session.rows import every, is_fire
from onefate.broker.session.state import ABSENT, Receipt, Wire
from tests.guarantees import proves
from tests.session.app import App, id_of

pytestmark = proves("settle:first-wins", "settle:immutable", "approve:spent-once", "fire:atomic")

DEFINITION: Wire = {
    "pages": {
        "p": {
            "actions": {
                "write": {"does": "Write", "writes": ["a"], "verify": {"a": {"lt": 3}}},
                "both": {"does": "Write both", "writes": ["a", "b"]},
                "plain": {"does": "Do", "concurrency": {"mode": "single-flight"}},
                "once": {"does": "Once", "concurrency": {"mode": "once", "scope": "payload"}},
                "go": {"does": "Go", "goTo": "q"},
                "pay": {"does": "Pay", "confirm": True},
            }
        },
        "q": {"actions": {"back": {"does": "Back", "goTo": "p"}}},
    },
    "journeys": {"j": {"does": "Flow", "when": {"a": {"lt": 4}}, "steps": ["plain", "write"]}},
}
ACTIONS = ("p.write", "p.both", "p.plain", "p.once", "p.go", "p.pay", "q.back")
SOURCES = ("agent", "user", "system")


def opens(_payload: object) -> object:
    return ABSENT


class Session(RuleBasedStateMachine):
    """One session under everybody's hands."""

    @initialize(enforced=st.booleans(), strict=st.booleans())
    def begin(self, *, enforced: bool, strict: bool) -> None:
        policy = "strict" if strict else "default"
        state = {"a": 0, "b": 0}
        self.app = App(
            DEFINITION, requireHumanApproval=enforced, attributionPolicy=policy, state=state
        )
        self.app.bind(opens)
        self.fires: list[str] = []
        self.receipts: dict[str, str] = {}
        self.version = 0

    def a_fire(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(self.fires))

    @rule(
        action=st.sampled_from(ACTIONS),
        source=st.sampled_from(SOURCES),
        payload=st.sampled_from([1, 2, {"n": 1}]),
        invoke=st.booleans(),
    )
    def fire(self, action: str, source: str, payload: object, *, invoke: bool) -> None:
        pointer = self.app.decide(lambda d: approval.open_ask_for(d, action, payload))
        answer = self.app.fire(action, source, payload=payload, invoke=invoke, askId=pointer)
        if answer["ok"]:
            self.fires.append(id_of(answer))
        self.app.flush()

    @rule(payload=st.sampled_from([1, 2]), yes=st.booleans())
    def ask_and_answer(self, payload: int, *, yes: bool) -> None:
        told = self.app.decide(lambda d: approval.confirm_ask(d, "p.pay", payload=payload))
        card = str(told["askId"])
        door = approval.approve_ask if yes else approval.decline_ask
        self.app.decide(lambda d: door(d, card, by="nora"))

    @precondition(lambda self: self.app.running)
    @rule(data=st.data(), how=st.sampled_from(["value", "failure", "error"]))
    def end_a_handler(self, data: st.DataObject, how: str) -> None:
        order = data.draw(st.sampled_from(self.app.running))
        self.app.running.remove(order)
        value = {"value": {"got": 1}, "failure": {"ok": False, "error": "no"}}.get(how)
        if value is None:
            self.app.decide(lambda d: outcomes.handler_threw(d, order.id, "Error: x"))
        else:
            self.app.decide(lambda d: outcomes.handler_returned(d, order.id, value))

    @rule(
        delta=st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(0, 5)),
        principal=st.sampled_from([None, "user"]),
    )
    def report(self, delta: Wire, principal: str | None) -> None:
        said = {} if principal is None else {"principal": principal}
        self.app.report(delta, **said)

    @precondition(lambda self: self.fires)
    @rule(data=st.data(), a=st.integers(0, 5))
    def report_by_name(self, data: st.DataObject, a: int) -> None:
        self.app.report({"a": a, "b": a}, transition_id=self.a_fire(data))

    @precondition(lambda self: self.fires)
    @rule(data=st.data(), superseded=st.booleans())
    def reject(self, data: st.DataObject, *, superseded: bool) -> None:
        fire = self.a_fire(data)
        try:
            self.app.decide(
                lambda d: outcomes.reject(d, fire, "superseded" if superseded else None)
            )
        except NothingToReject:
            assert self.app.record(fire)["outcome"] not in ("pending", "committed")

    @precondition(lambda self: self.fires)
    @rule(data=st.data(), status=st.sampled_from(["performed", "refused"]))
    def observe(self, data: st.DataObject, status: str) -> None:
        seen: Wire = {"source": "bank", "status": status}
        fire = self.a_fire(data)
        self.app.decide(lambda d: outcomes.observe_effect(d, fire, seen))

    @rule(page=st.sampled_from(["p", "q", "nowhere"]))
    def sync(self, page: str) -> None:
        self.app.sync(page)

    @rule(leave=st.booleans())
    def journey(self, *, leave: bool) -> None:
        if leave:
            self.app.decide(frames.leave_journey)
        else:
            self.app.decide(lambda d: frames.open_journey(d, "j"))

    @rule(enabled=st.booleans())
    def switch(self, *, enabled: bool) -> None:
        self.app.decide(lambda d: registry.set_enabled(d, "app", "p.plain", enabled=enabled))
        self.app.flush()

    @invariant()
    def versions_only_grow(self) -> None:
        version = self.app.versions[0]
        assert version >= self.version
        self.version = version

    @invariant()
    def a_fire_is_open_or_has_its_one_receipt(self) -> None:
        draft = self.app.memory.draft()
        fires = [row["record"]["id"] for row in every(draft) if is_fire(row)]
        open_fires = settle.awaiting_settlement(draft)
        receipts = self.app.memory.snapshot.tables.get("receipts", {})
        assert sorted([*open_fires, *receipts]) == sorted(fires)
        assert {fire["id"] for fire in draft.pending} <= set(open_fires)

    @invariant()
    def a_receipt_never_changes(self) -> None:
        for fire, receipt in self.app.memory.snapshot.tables.get("receipts", {}).items():
            text = json.dumps(receipt)
            assert self.receipts.setdefault(fire, text) == text

    @invariant()
    def a_receipt_says_what_its_record_said(self) -> None:
        for receipt in self.app.memory.snapshot.tables.get("receipts", {}).values():
            told = cast("Receipt", receipt)
            assert told["transition"]["outcome"] == told["outcome"]
            if told["effectStatus"] == "performed":
                assert told["outcome"] == "committed"

    @invariant()
    def a_card_lets_one_fire_pass(self) -> None:
        for fires in self.app.memory.snapshot.tables.get("ask_fires", {}).values():
            assert len(cast("list[str]", fires)) == 1

    @invariant()
    def at_most_one_flight_is_single(self) -> None:
        flights = [f for f in self.app.memory.draft().latches if f["affordanceId"] == "p.plain"]
        executed = [f for f in flights if any(o.id == f["id"] for o in self.app.running)]
        assert len(executed) <= 1


def test_the_laws_hold_after_every_decision() -> None:
    run_state_machine_as_test(
        Session, settings=settings(stateful_step_count=25, max_examples=60, deadline=None)
    )
