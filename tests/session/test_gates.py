"""The gates of a fire and their order, and what an accepted one leaves (spec: graph-session §9)."""

from collections.abc import Callable
from typing import cast

import pytest

from onefate.broker.session import acknowledge, offers, registry
from onefate.broker.session.attempt import FireOptions
from onefate.broker.session.fire import fire
from onefate.broker.session.gaps import report_gap
from onefate.broker.session.state import Wire
from tests.guarantees import proves
from tests.session.app import App, id_of, one_page

pytestmark = [proves("fire:atomic", "call:never-waits"), pytest.mark.usefixtures("kept")]

ALL: Wire = {
    "does": "Everything",
    "confirm": True,
    "when": {"open": {"eq": True}},
    "enabledWhen": {"on": {"eq": True}},
    "input": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]},
    "concurrency": {"mode": "once"},
    "freshness": {"readChanges": "refuse"},
    "reads": ["rate"],
    "principalPolicy": {"mayInvoke": ["human", "system"]},
}


def test_each_gate_speaks_when_those_before_it_are_silent() -> None:
    app = App(
        one_page(all=ALL),
        state={"open": False, "on": False, "rate": 1},
        enforcePrincipalPolicy=True,
        requireHumanApproval=True,
        effectPolicy={"highEffectRequiresVerify": True},
    )
    good: Wire = {"payload": {"n": 1}}
    app.sync("q")
    said = [app.fire("p.all", expectedVersion=9)["reason"], app.fire("p.all")["reason"]]
    app.sync("p")
    said.append(app.fire("p.all")["reason"])
    app.report({"open": True}, principal="user")
    said += [app.fire("p.all")["reason"], app.fire("p.all", **good)["reason"]]
    app.report({"on": True}, principal="user")
    said.append(app.fire("p.all", **good)["reason"])
    app.bind()
    said.append(app.fire("p.all", **good)["reason"])
    row = app.served("p.all")
    assert row is not None
    good["offerId"] = cast("Wire", row["offerRef"])["offerId"]
    said += [app.fire("p.all", **good)["reason"], app.fire("p.all", "user", **good)["reason"]]
    assert said == [
        "STALE_CURSOR",
        "NOT_ON_NODE",
        "GUARD_FAILED",
        "PAYLOAD_INVALID",
        "TOOL_DISABLED",
        "NOT_MATERIALIZED",
        "OFFER_REQUIRED",
        "PRINCIPAL_NOT_ALLOWED",
        "EFFECT_NOT_VERIFIABLE",
    ]
    assert len(app.decide(lambda d: d.gaps.all())) == len(said)


def test_a_refusal_moves_nothing_but_the_ledger_of_gaps() -> None:
    app = App()
    answer = app.fire("p.nope")
    assert (answer["reason"], answer["available"]) == (
        "UNKNOWN_AFFORDANCE",
        ["p.W", "p.Z", "p.N", "p.C"],
    )
    _, made = app.memory.made(lambda d: fire(d, "p.W"))
    assert set(made.sections) <= {"counters", "recent"}
    assert (set(made.tables), made.fires, made.receipts) == (set(), [], {})


def test_an_input_that_json_cannot_hold_is_refused() -> None:
    app = App()
    app.bind()
    for payload in (float("nan"), {"x": {1}}):
        assert app.fire("p.Z", payload=payload)["reason"] == "PAYLOAD_INVALID"


def test_a_flight_holds_its_repeats_and_nobody_elses() -> None:
    concurrency = {"mode": "single-flight", "scope": "payload"}
    app = App(one_page(send={"does": "Send", "writes": ["k"], "concurrency": concurrency}))
    app.bind()
    first = app.done("p.send", payload=[1], instance="a")
    held = app.fire("p.send", "user", payload=[1], instance="a")
    assert (held["reason"], held["pendingTransitionId"]) == ("PRIOR_FIRE_PENDING", first)
    assert app.fire("p.send", payload=[1], instance="b")["ok"] is True
    assert app.fire("p.send", payload=[2], instance="a")["ok"] is True
    assert app.fire("p.send", payload=[1], instance="a", invoke=False)["ok"] is True


@pytest.mark.parametrize(
    ("observability", "refused"),
    [
        (None, {"needs": "observability"}),
        ("state-delta", {"needs": "postcondition", "observability": "state-delta"}),
        ("external", {}),
    ],
)
def test_a_high_effect_must_be_confirmable(observability: str | None, refused: Wire) -> None:
    action: Wire = {"does": "Pay", "confirm": True}
    if observability is not None:
        action["observability"] = observability
    app = App(one_page(pay=action), effectPolicy={"highEffectRequiresVerify": True})
    app.bind()
    answer = app.fire("p.pay")
    assert {key: answer[key] for key in ("needs", "observability") if key in answer} == refused
    assert app.fire("p.pay", invoke=False)["ok"] is True


def test_a_gesture_is_named_where_nothing_is_wired() -> None:
    chord = {"kind": "keychord", "chord": "g"}
    app = App(one_page(key={"does": "Key", "binding": chord}))
    assert app.fire("p.key")["gesture"] == chord
    (gap,) = app.decide(lambda d: d.gaps.all())
    assert gap["gestureKind"] == "keychord"


def test_a_literal_address_is_opened_by_navigate() -> None:
    link = {"does": "Link", "binding": {"kind": "url", "href": "/q"}}
    app = App(one_page(link=link), navigate=True)
    _, made = app.memory.made(lambda d: fire(d, "p.link"))
    (order,) = made.fires
    assert (order.runs, order.binding, order.href) == (True, None, "/q")


MOVED: dict[str, Callable[[App], object]] = {
    "guard": lambda app: app.report({"open": 2}, principal="user"),
    "writes": lambda app: app.report({"k": 2}, principal="user"),
    "position": lambda app: app.decide(lambda d: registry.set_visible(d, "q", visible=True)),
}


@pytest.mark.parametrize("axis", MOVED)
def test_what_has_moved_since_the_offer(axis: str) -> None:
    word = {"guard": "guardChanges", "writes": "writeChanges", "position": "positionChanges"}[axis]
    action: Wire = {
        "does": "Act",
        "when": {"open": {"ne": 0}},
        "writes": ["k"],
        "freshness": {word: "refuse"},
    }
    app = App(one_page(act=action), state={"open": 1, "k": 0})
    app.bind()
    row = app.served("p.act")
    assert row is not None
    offer = cast("Wire", row["offerRef"])["offerId"]
    MOVED[axis](app)
    app.flush()
    refused = app.fire("p.act", offerId=offer)
    assert refused["reason"] == "WORLD_MOVED"
    assert [moved["axis"] for moved in cast("list[Wire]", refused["moved"])] == [axis]


def test_an_acknowledgement_is_of_one_offer_one_world_and_its_keys() -> None:
    action = {"does": "Act", "reads": ["r"], "freshness": {"readChanges": "require-ack"}}
    app = App(one_page(act=action, other=action), state={"r": 0}, maxAcknowledgements=2)
    app.bind()
    rows = app.look()
    mine, other = (cast("Wire", row["offerRef"])["offerId"] for row in rows)
    assert app.fire("p.act", offerId=other)["offeredFor"] == "p.other"
    app.report({"r": 1}, principal="user")

    def acked(*keys: str, action: str = "p.act", offer: object = None) -> object:
        said = app.decide(
            lambda d: acknowledge.acknowledge_stale(
                d, action, keys, offer_id=None if offer is None else str(offer)
            )
        )
        cited = said["acknowledgementId"]
        return app.fire("p.act", offerId=mine, acknowledgementId=cited).get("reason")

    assert acked("other") == "ACKNOWLEDGEMENT_REQUIRED"
    assert acked(action="p.other") == "ACKNOWLEDGEMENT_REQUIRED"
    assert acked(offer=other) == "ACKNOWLEDGEMENT_REQUIRED"
    evicted = app.fire("p.act", offerId=mine, acknowledgementId="ack#1")
    assert (evicted["reason"], evicted["why"]) == ("ACKNOWLEDGEMENT_REQUIRED", "evicted")
    said = app.decide(lambda d: acknowledge.acknowledge_stale(d, "p.act", ["r"]))
    cited = said["acknowledgementId"]
    app.report({"z": 1}, principal="user")
    refused = app.fire("p.act", offerId=mine, acknowledgementId=cited)
    assert refused["reason"] == "ACKNOWLEDGEMENT_STALE"
    assert acked("r", offer=mine) is None
    draft = app.memory.draft()
    assert acknowledge.retention(draft) == {
        "minted": 5,
        "dropped": 3,
        "firstRetained": "ack#4",
        "lastRetained": "ack#5",
    }
    assert [row["keys"] for row in acknowledge.acknowledgements(draft)] == [["r"], ["r"]]
    assert acknowledge.standing(draft, "ack#x") == "unknown"


def test_an_offer_is_kept_as_it_was_first_served() -> None:
    app = App(freshness={"readChanges": "refuse"})
    first = [cast("Wire", row["offerRef"])["offerId"] for row in app.look()]
    app.sync("q")
    app.sync("p")
    assert [cast("Wire", row["offerRef"])["offerId"] for row in app.look()] == first
    kept = app.decide(offers.retained)
    assert [(offer["offerId"], offer["version"]) for offer in kept] == [(o, 0) for o in first]


def test_what_a_caller_may_say() -> None:
    read = FireOptions.read
    assert read({}) == FireOptions()
    assert read({"source": "robot", "instance": 5, "expectedVersion": "1"}) == FireOptions()
    assert read({"source": None}, "user").source == "user"
    assert read({"invoke": False, "payload": None}) == FireOptions(invoke=False, payload=None)


def test_a_gap_that_somebody_reports() -> None:
    app = App()
    told: Wire = {"request": "x" * 600, "reason": "odd", "note": "y", "principal": "user"}
    app.decide(lambda d: report_gap(d, told))
    app.decide(lambda d: report_gap(d, {"request": "again", "actionsMayBeStale": True}, "agent"))
    first, second = app.decide(lambda d: d.gaps.all())
    assert (len(str(first["request"])), first["reason"], first["principal"]) == (
        500,
        "other",
        "user",
    )
    assert (second["principal"], second["actionsMayBeStale"]) == ("agent", True)
    assert app.memory.draft().recent["refusals"] == [1]


def test_an_agents_high_effect_without_a_word_about_approval_warns_the_developer() -> None:
    app = App()
    app.bind()
    _, made = app.memory.made(lambda d: fire(d, "p.C"))
    assert len(made.warnings) == 1


def test_the_focus_follows_the_fire() -> None:
    definition: Wire = {
        "pages": {"p": {"areas": {"a": {"actions": {"go": {"does": "Go", "goTo": "q"}}}}}, "q": {}}
    }
    app = App(definition)
    app.bind()
    assert id_of(app.fire("p.a.go")) == "p.a.go#1"
    (move,) = app.decide(lambda d: d.focus_log.all())
    assert (move["to"], move["moved"]) == ("p.a", False)


def test_a_once_action_that_is_only_recorded_at_rest_replaces_what_it_repeats() -> None:
    scope = {"mode": "once", "scope": "instance"}
    app = App(one_page(do={"does": "Do", "concurrency": scope}))
    first, second = (app.done("p.do", "user", invoke=False, instance="a") for _ in range(2))
    app.bind()
    assert app.fire("p.do", instance="a")["priorTransitionId"] == second != first
    assert app.fire("p.do", instance="b")["ok"] is True
    app.flush()


def test_a_flight_of_another_action_holds_nothing() -> None:
    single = {"mode": "single-flight"}
    app = App(
        one_page(
            a={"does": "A", "writes": ["k"], "concurrency": single},
            b={"does": "B", "writes": ["k"], "concurrency": single},
        )
    )
    app.bind()
    app.done("p.a")
    assert app.fire("p.b")["ok"] is True
    assert app.fire("p.b")["reason"] == "PRIOR_FIRE_PENDING"
