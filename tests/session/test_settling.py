"""What becomes of a fire, who may say so, and what is answered about it afterwards.

Spec: graph-session §8.3, §9.5-9.7, §13.5.
"""

from typing import cast

import pytest

from onefate.broker.errors import Forgotten, ImpossibleId, NeverExisted, WasAsk, WasStimulus
from onefate.broker.session import approval, outcomes, settle, work
from onefate.broker.session.attempt import FireOptions
from onefate.broker.session.draft import Draft
from onefate.broker.session.fire import fire
from onefate.broker.session.raised import error_words, raised
from onefate.broker.session.reads.decisions import decisions
from onefate.broker.session.reads.slice import why
from onefate.broker.session.state import ABSENT, Wire
from tests.guarantees import proves
from tests.session.app import App, Handler, id_of, one_page

pytestmark = [
    proves("settle:first-wins", "settle:immutable", "id:impossible-raises", "answer:three"),
    pytest.mark.usefixtures("kept"),
]


def stays_open(_payload: object) -> object:
    return ABSENT


def fails(_payload: object) -> object:
    raise RuntimeError("boom")


def returning(value: object) -> Handler:
    return lambda _payload: value


def checked(answer: object) -> Wire:
    def check(_state: object) -> object:
        if answer is ABSENT:
            raise RuntimeError("broken")
        return answer

    return {"do": {"does": "Do", "verify": check}}


@pytest.mark.parametrize(
    ("answer", "status", "held"),
    [
        (True, "performed", True),
        (False, "refused", False),
        ("yes", "performed", "unevaluable"),
        (ABSENT, "performed", "unevaluable"),
    ],
)
def test_a_check_by_the_app(answer: object, status: str, held: object) -> None:
    app = App(one_page(**checked(answer)))
    app.bind()
    receipt = app.receipt(app.done("p.do"))
    assert receipt is not None
    assert (receipt["effectStatus"], receipt.get("verifyHeld")) == (status, held)
    assert receipt["outcome"] == ("committed" if status == "performed" else "rolled-back")


def test_a_check_over_unknown_keys_says_so_and_one_that_fails_shows_what() -> None:
    app = App(one_page(do={"does": "Do", "verify": {"v": {"eq": 1}}}), state={"other": 1})
    app.bind()
    receipt = app.receipt(app.done("p.do"))
    assert receipt is not None
    assert receipt.get("verifyHeld") == "unevaluable"
    app.report({"v": 2}, principal="user")
    receipt = app.receipt(app.done("p.do"))
    assert receipt is not None
    error = cast("Wire", receipt.get("error"))
    assert (error["reason"], len(cast("list[Wire]", error["evidence"]))) == ("VERIFY_FAILED", 1)


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (fails, "RuntimeError: boom"),
        (returning({"ok": False, "error": "no"}), "no"),
        (returning({"ok": False}), '{"ok": false}'),
        (
            returning({"ok": False, "error": {"reason": "R", "explanation": "Because."}}),
            "Because.",
        ),
    ],
)
def test_what_a_failure_says(handler: Handler, said: str) -> None:
    app = App()
    app.bind(handler)
    receipt = app.receipt(app.done("p.W"))
    assert receipt is not None
    assert (receipt["effectStatus"], receipt["outcome"]) == ("refused", "rejected")
    assert error_words(receipt.get("error")) == said


def test_what_was_raised_is_kept_as_text() -> None:
    assert raised(ValueError("x" * 300)) == {
        "raised": True,
        "text": f"ValueError: {'x' * 188}…",
    }


def test_an_id_that_can_never_settle_says_why() -> None:
    app = App()
    app.bind()
    card = str(app.decide(lambda d: approval.confirm_ask(d, "p.C"))["askId"])
    for name, error in {
        "stimulus:structure-swap#0": WasStimulus,
        card: WasAsk,
        "ask#7": NeverExisted,
        "p.W#0": NeverExisted,
        "p.W#7": NeverExisted,
        "no number": NeverExisted,
    }.items():
        with pytest.raises(error) as refused:
            app.receipt(name)
        assert isinstance(refused.value, ImpossibleId)
    fire = app.done("p.Z")
    del app.memory.snapshot.tables["rows"][fire.rpartition("#")[2]]
    del app.memory.snapshot.tables["receipts"][fire]
    with pytest.raises(Forgotten):
        app.receipt(fire)
    app.decide(lambda d: outcomes.handler_returned(d, fire, 1))
    app.decide(lambda d: outcomes.handler_threw(d, fire, "x"))
    assert app.report({"k": 1}, transition_id=fire)["reason"] == "UNKNOWN_TRANSITION"


@pytest.mark.parametrize(
    ("told", "issues"),
    [
        ({"source": " ", "status": "performed"}, 1),
        ({"source": "s", "status": "done"}, 1),
        ({"source": 5, "evidenceRef": 5}, 3),
    ],
)
def test_an_observation_must_be_one(told: Wire, issues: int) -> None:
    app = App()
    refused = app.decide(lambda d: outcomes.observe_effect(d, "p.Z#0", told))
    assert refused["reason"] == "INVALID_OBSERVATION"
    assert len(cast("list[str]", refused["issues"])) == issues


def test_an_observation_is_about_a_fire() -> None:
    app = App()
    app.bind(stays_open)
    seen: Wire = {"source": "bank", "status": "performed", "evidenceRef": "e" * 300}
    told = app.decide(lambda d: outcomes.observe_effect(d, "p.Z#9", seen))
    assert (told["reason"], told["awaiting"]) == ("UNKNOWN_TRANSITION", [])
    told = app.decide(lambda d: outcomes.observe_effect(d, "stimulus:structure-swap#0", seen))
    assert told["reason"] == "NOT_A_FIRE"
    fire = app.done("p.W")
    assert app.decide(lambda d: outcomes.observe_effect(d, fire, seen))["settled"] is True
    record = app.record(fire)
    assert record["attribution"]["basis"] == "external-report"
    (observation,) = record.get("observations", [])
    assert len(str(observation["evidenceRef"])) == 201


def test_a_rejected_fire_can_be_fired_again_once_it_was_refused() -> None:
    once = {"mode": "once"}
    app = App(one_page(do={"does": "Do", "writes": ["k"], "concurrency": once}))
    app.bind(stays_open)
    first = app.done("p.do")
    app.decide(lambda d: outcomes.reject(d, first))
    second = app.done("p.do")
    app.decide(lambda d: outcomes.reject(d, second, "superseded"))
    receipt = app.receipt(second)
    assert receipt is not None
    assert receipt["effectStatus"] == "unobservable"
    assert app.fire("p.do")["reason"] == "DUPLICATE_EXECUTION"


def test_what_was_only_recorded_counts_as_done() -> None:
    app = App(one_page(do={"does": "Do", "writes": ["k"], "concurrency": {"mode": "once"}}))
    app.bind()
    waiting = app.done("p.do", "user", invoke=False)
    later = app.done("p.do", "user", invoke=False)
    app.report({"k": 1}, transition_id=later)
    app.report({"k": 1}, transition_id=waiting)
    assert app.fire("p.do")["priorTransitionId"] == later


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("value", [{1}, nested(64), nested(20_000)], ids=["set", "deep", "deeper"])
def test_a_report_that_json_cannot_hold_consumes_nothing(value: object) -> None:
    app = App()
    app.bind()
    fire = app.done("p.W")
    refused = app.report({"k": value}, transition_id=fire)
    assert refused["reason"] == "UNCLONEABLE_DELTA"
    assert app.receipt(fire) is None
    assert app.report({"k": ABSENT}, transition_id=fire)["attributed"] is True
    assert app.record(fire).get("effectVerified") is False


def test_a_report_may_nest_as_deep_as_is_kept() -> None:
    assert App().report({"k": nested(63)})["ok"] is True


def test_a_weak_report_weakens_and_a_strong_one_does_not_strengthen() -> None:
    app = App()
    app.bind()
    fire = app.done("p.W")
    app.report({"k": [1]})
    attribution = app.record(fire)["attribution"]
    assert (attribution["basis"], attribution["certainty"]) == ("signature-match", "inferred")
    assert app.report({"k": [1.0]}, principal="user")["ok"] is True
    assert "k" not in app.decide(lambda d: {k for k, w in d.changes.items() if "user" in w})


def test_an_inferred_fire_keeps_what_it_did_not_know() -> None:
    guarded = {"does": "Write", "writes": ["k"], "when": {"open": {"eq": 1}}}
    app = App(one_page(do=guarded))
    app.bind()
    app.report({"k": 1})
    record = app.record("p.do#1")
    assert (record.get("guardUnevaluated"), record.get("evidence")) == (["open"], [])


def test_who_decided_is_known_only_where_somebody_said_so() -> None:
    choose = {"about": "which", "doneWhen": {"choice": {"ne": ""}}}
    action: Wire = {"does": "Choose", "writes": ["choice"], "humanDecides": choose}
    app = App(one_page(choose=action, done={"does": "Done", "humanDecides": {}}))
    app.bind()

    def row() -> Wire:
        return dict(app.decide(decisions)[0])

    assert row() == {"affordanceId": "p.choose", "about": "which", "made": "unknown"}
    app.report({"choice": "a"}, principal="user")
    assert row()["madeBy"] == "user"
    app.report({"choice": "b"})
    assert "madeBy" not in row()
    fire = app.done("p.choose")
    app.report({"choice": "c"}, transition_id=fire)
    assert row()["madeBy"] == "agent"
    app.report({"choice": ""}, principal="user")
    assert row()["made"] is False


def test_what_led_to_a_value() -> None:
    steps: Wire = {
        "login": {"does": "Login", "writes": ["auth"]},
        "add": {"does": "Add", "writes": ["cart"], "when": {"auth": {"eq": 1}}},
        "pay": {
            "does": "Pay",
            "writes": ["paid"],
            "when": {"cart": {"eq": 1}, "auth": {"eq": 1}},
        },
    }
    app = App(one_page(**steps))
    app.bind(stays_open)
    for action, key in (("p.login", "auth"), ("p.add", "cart"), ("p.pay", "paid")):
        fire = app.done(action)
        assert app.report({key: 1}, inside=fire)["attributed"] is True
    assert app.decide(lambda d: why(d, "paid")).ids == ("p.pay#3", "p.add#2", "p.login#1")


def test_work_belongs_to_the_fire_that_is_named_or_runs() -> None:
    app = App()
    app.bind(stays_open)
    fire = app.done("p.Z")
    named = app.decide(lambda d: work.begin_work(d, "x" * 300, transition_id=fire))
    inside = app.decide(lambda d: work.begin_work(d, inside=fire))
    free = app.decide(
        lambda d: work.begin_work(d, "sweep", transition_id="stimulus:structure-swap#0")
    )
    rows = app.decide(work.open_work)
    assert [row["workId"] for row in rows] == [named["workId"], inside["workId"], free["workId"]]
    assert [row.get("transitionId") for row in rows] == [fire, fire, None]
    assert [row["principal"] for row in rows] == ["agent", "agent", "system"]
    assert len(rows[0].get("label", "")) == 201
    before = app.versions
    app.decide(lambda d: work.done(d, "work#0"))
    app.decide(lambda d: work.done(d, "work#0", "late"))
    app.decide(lambda d: work.done(d, "work#1", "broke"))
    assert [row["workId"] for row in app.decide(work.open_work)] == ["work#2"]
    assert (app.versions, app.receipt(fire)) == (before, None)


def test_a_handler_without_data_leaves_none() -> None:
    app = App(captureProduced=False)
    app.bind(lambda _: {"secret": 1})
    assert "produced" not in app.record(app.done("p.Z"))
    app = App(redactedFields={"produced": ["secret"], "payload": ["pin"]})
    app.bind(lambda _: {"secret": 1})
    record = app.record(app.done("p.Z", payload={"pin": 4711}))
    assert record.get("produced") == {"secret": "[REDACTED]"}
    assert record.get("payload") == {"pin": "[REDACTED]"}


def test_open_fires_are_told_in_the_order_of_firing() -> None:
    app = App()
    app.bind(stays_open)
    fires = [app.done("p.W"), app.done("p.Z"), app.done("p.W")]
    assert app.decide(settle.awaiting_settlement) == fires
    assert [fire["id"] for fire in app.memory.draft().pending] == [fires[0], fires[2]]


def test_an_epoch_gives_ids_that_no_earlier_one_gave() -> None:
    memory = App().memory
    draft = Draft(memory.map, memory.options, memory.snapshot, now=0, epoch=2)
    answer = fire(draft, "p.Z", FireOptions(source="user"))
    assert id_of(answer) == "p.Z#2.0"
    assert settle.settlement_if_known(draft, "p.Z#2.0") is not None
    with pytest.raises(NeverExisted):
        settle.settlement_if_known(draft, "p.Z#0")
