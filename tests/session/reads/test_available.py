"""What is served, key by key, and what helps when something is not (spec: graph-session §6)."""

from collections.abc import Callable, Mapping

import pytest

from onefate.broker.journey import Blocked
from onefate.broker.journey.values import ABSENT, REDACTED
from onefate.broker.session import concurrency
from onefate.broker.session.draft import Draft, RecordsNeeded, Snapshot
from onefate.broker.session.facts import NAVIGATE, could_materialise, handler_for
from onefate.broker.session.reads.available import (
    ServedRows,
    available,
)
from onefate.broker.session.reads.page import served_ids
from onefate.broker.session.reads.rows import Edge
from onefate.broker.session.state import Declared, PersonAct, Wire
from tests.guarantees import proves
from tests.session.reads.world import bind, happened, left_open, page_of, signal, world

pytestmark = proves("answer:absent-not-filled")


def edge(draft: Draft, action: str) -> Edge:
    return next(e for e in available(draft)["edges"] if e["affordanceId"] == action)


def test_rows_come_in_compile_order_and_hidden_nodes_serve_none() -> None:
    draft = world()
    assert served_ids(draft) == [
        "chart.sidebar.pin",
        "chart.beds.visit",
        "chart.vitals.measure",
        "chart.notes.write",
        "chart.sign",
        "chart.leave",
        "page",
    ]
    assert [e["affordanceId"] for e in available(draft)["edges"]] == served_ids(draft)
    signal(draft, chart__allergy=True)
    assert served_ids(draft) == ["chart.allergy.list.scroll", "chart.allergy.acknowledge"]


def test_a_bare_row_holds_nothing_that_is_not_known() -> None:
    row = edge(world(), "page")
    assert set(row) == {
        "affordanceId",
        "description",
        "role",
        "highEffect",
        "evidence",
        "node",
        "activation",
    }
    assert row["node"] == "chart"
    assert row["activation"] == "synced"


def test_a_false_guard_hides_and_an_unknown_one_is_marked() -> None:
    unknown = edge(world(), "chart.sign")
    assert unknown.get("guardUnevaluated") == ["pulse"]
    assert unknown["evidence"] == []
    assert "chart.sign" not in served_ids(world(state={"pulse": 0}))
    known = edge(world(state={"pulse": 60}), "chart.sign")
    assert "guardUnevaluated" not in known
    assert [condition["result"] for condition in known["evidence"]] == [True]


def test_evidence_hides_redacted_keys() -> None:
    row = edge(world(state={"pulse": 60}, redactedKeys=["pulse"]), "chart.sign")
    assert [c["actualSummary"] for c in row["evidence"]] == [REDACTED]


def test_declared_parts_are_served_as_declared() -> None:
    row = edge(world(), "chart.sign")
    assert row.get("writes") == ["signed"]
    assert row.get("reads") == ["pulse"]
    assert row.get("humanDecides") is True
    assert row["highEffect"] is True
    assert edge(world(), "chart.leave").get("navigatesTo") == "home"


def test_policy_input_and_gesture_are_served_as_copies() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    gesture = {"kind": "keychord", "chord": "b"}
    policy = {"mayInvoke": ["human"], "decisionOwner": "human"}
    declared = {"does": "A", "input": schema, "binding": gesture, "principalPolicy": policy}
    draft = world(page_of(a=declared, b={"does": "B", "input": "none"}))
    row = edge(draft, "p.a")
    assert row.get("expects") == schema
    assert row.get("binding") == gesture
    assert row.get("mayInvoke") == ["human"]
    assert row.get("decisionOwner") == "human"
    assert edge(draft, "p.b").get("expects") == "none"
    expects = row.get("expects")
    assert isinstance(expects, dict)
    expects.clear()
    assert edge(draft, "p.a").get("expects") == schema


def test_wiring_is_only_spoken_of_where_anything_can_be_wired() -> None:
    draft = world()
    assert "materialized" not in edge(draft, "page")
    bind(draft, "page", "chart.leave", busy="Calling")
    assert edge(draft, "page").get("materialized") is True
    assert edge(draft, "page").get("busy") == "Calling"
    assert edge(draft, "chart.sidebar.pin").get("materialized") is False
    assert edge(world(allowUnmaterializedFires=True), "page").get("materialized") is False


def test_an_instance_handler_can_materialise_and_does_not_mark_the_row() -> None:
    draft = world()
    bind(draft, "chart.beds.visit[b1]")
    visit = draft.map.actions["chart.beds.visit"]
    assert edge(draft, "chart.beds.visit").get("materialized") is False
    assert could_materialise(draft, visit)
    assert handler_for(draft, visit, "b1") == "chart.beds.visit[b1]"
    assert handler_for(draft, visit, "b2") is None


def test_a_literal_address_is_opened_by_navigate() -> None:
    pages = {"p": {"actions": {"go": {"does": "Go", "goTo": "q"}}}, "q": {"route": "/q"}}
    draft = world({"pages": pages}, navigate=True)
    assert edge(draft, "p.go").get("materialized") is True
    assert handler_for(draft, draft.map.actions["p.go"]) == NAVIGATE
    assert handler_for(world({"pages": pages}), draft.map.actions["p.go"]) is None


def test_switched_off_by_registration_or_by_a_failing_condition() -> None:
    draft = world(state={"ready": False})
    bind(draft, "page", enabled=False)
    assert edge(draft, "page").get("enabled") is False
    assert edge(draft, "chart.sign").get("enabled") is False
    assert "enabled" not in edge(world(), "chart.sign")


def blocked(reason: object) -> Edge:
    declared: Wire = {"does": "A", "enabledWhen": {"k": {"eq": 1}}, "blockedBecause": reason}
    return edge(world(page_of(a=declared), state={"k": 0}), "p.a")


def broken(_: object) -> object:
    raise ValueError("no words")


def counting(state: Mapping[str, object]) -> object:
    return {"says": f"k is {state['k']}", "clearedBy": "user", "more": 1}


def saying(answer: object) -> Callable[[object], object]:
    return lambda _: answer


SAYS = {"says": "Wait", "clearedBy": "app"}


@pytest.mark.parametrize(
    ("reason", "spoken"),
    [
        (SAYS, SAYS),
        (counting, {"says": "k is 0", "clearedBy": "user"}),
        (saying(None), None),
        (saying(ABSENT), None),
        (saying({"says": " ", "clearedBy": "app"}), None),
        (saying({"says": "Wait", "clearedBy": "fate"}), None),
        (saying("Wait"), None),
        (saying(Blocked("Wait", "app")), SAYS),
        (broken, None),
    ],
)
def test_the_reason_of_a_switched_off_row_is_the_apps_or_absent(
    reason: object, spoken: object
) -> None:
    assert blocked(reason).get("blockedBecause") == spoken


def test_a_row_that_is_on_gives_no_reason() -> None:
    draft = world(page_of(a={"does": "A", "blockedBecause": SAYS}))
    assert "blockedBecause" not in edge(draft, "p.a")


def holding(read: Callable[[], object], **declared: object) -> Edge:
    draft = world(page_of(a={"does": "A", **declared}), redactedFields={"payload": ["pin"]})
    draft.code.holds["p.a"] = [("old", lambda: "old"), ("new", read)]
    return edge(draft, "p.a")


@pytest.mark.parametrize(
    ("value", "held"),
    [
        (0, 0),
        (None, None),
        ("", ""),
        ({}, {}),
        ({"pin": 4711, "name": "x"}, {"pin": REDACTED, "name": "x"}),
        ([{"pin": 1}], [{"pin": REDACTED}]),
    ],
)
def test_a_control_shows_what_it_holds_bounded_and_redacted(value: object, held: object) -> None:
    assert holding(lambda: value).get("holds", "nothing") == held


def unreadable() -> object:
    raise RuntimeError("no element")


@pytest.mark.parametrize(
    "read", [unreadable, lambda: ABSENT, lambda: print, object, lambda: {"f": print}]
)
def test_what_cannot_be_read_is_not_held(read: Callable[[], object]) -> None:
    assert "holds" not in holding(read)


def test_an_action_without_input_or_on_a_template_holds_nothing() -> None:
    assert "holds" not in holding(lambda: 1, input="none")
    draft = world()
    draft.code.holds["chart.beds.visit"] = [("app", lambda: 1)]
    assert "holds" not in edge(draft, "chart.beds.visit")


def test_repeated_rows_carry_their_instances() -> None:
    draft = world()
    draft.edit(Draft.nodes)["instances"]["chart.beds"] = {f"b{n}": 1 for n in range(60)}
    row = edge(draft, "chart.beds.visit")
    assert len(row.get("instances", [])) == 50
    assert row.get("instancesTotal") == 60
    assert row.get("enumeration") == "mounted-window"


def test_doubtful_tabs_are_marked() -> None:
    assert edge(world(), "chart.vitals.measure").get("presence") == "unknown"
    assert "presence" not in edge(world(), "chart.sidebar.pin")


def test_a_row_held_by_an_open_fire_says_so() -> None:
    once = {"does": "A", "concurrency": {"mode": "single-flight"}}
    each = {"does": "B", "concurrency": {"mode": "single-flight", "scope": "instance"}}
    draft = world(page_of(a=once, b=each))
    assert "heldByPriorFire" not in edge(draft, "p.a")
    left_open(draft, happened(draft, "p.a"))
    left_open(draft, happened(draft, "p.b"))
    assert edge(draft, "p.a").get("heldByPriorFire") is True
    assert "heldByPriorFire" not in edge(draft, "p.b")


def test_a_once_row_says_that_it_was_performed_until_a_person_acts() -> None:
    draft = world(page_of(a={"does": "A", "concurrency": {"mode": "once"}}))
    assert "alreadyPerformed" not in edge(draft, "p.a")
    concurrency.note_once(draft, draft.map.actions["p.a"], "p.a#0", ABSENT, None)
    assert edge(draft, "p.a").get("alreadyPerformed") is True
    record = happened(draft, principal="user")["record"]
    draft.people.append(PersonAct(id=record["id"], basis=record["attribution"]["basis"]))
    assert "alreadyPerformed" not in edge(draft, "p.a")


def test_what_once_rows_need_is_asked_for_in_one_go() -> None:
    once = {"does": "A", "concurrency": {"mode": "once"}}
    draft = world(page_of(a=once, b=once))
    cold = Draft(draft.map, draft.options, Snapshot({**draft.decision.sections}), now=0)
    with pytest.raises(RecordsNeeded) as needed:
        available(cold)
    assert len(needed.value.tables["once"]) == 2


def test_an_action_declared_at_mount_comes_last_and_says_so() -> None:
    draft = world()
    declared = Declared(group="app", node="chart.sidebar", name="new", definition={"does": "New"})
    draft.edit(Draft.registry)["declared"]["chart.sidebar.new"] = [declared]
    assert served_ids(draft)[-1] == "chart.sidebar.new"
    row = edge(draft, "chart.sidebar.new")
    assert row.get("descriptionSource") == "registration"
    assert row["node"] == "chart.sidebar"


def test_a_row_whose_policy_enforces_must_cite_its_offer() -> None:
    fresh = {"does": "A", "freshness": {"readChanges": "refuse"}}
    draft = world(page_of(a=fresh, b={"does": "B"}))
    row = edge(draft, "p.a")
    assert row.get("mustCiteOffer") is True
    assert row.get("offerRef") == {
        "offerId": "offer#1",
        "actionId": "p.a",
        "node": "p",
        "stateVersion": 0,
        "structureVersion": 0,
    }
    free = edge(draft, "p.b")
    assert "mustCiteOffer" not in free
    assert "offerRef" in free


def test_a_session_in_which_no_offer_is_ever_judged_keeps_none() -> None:
    draft = world(page_of(a={"does": "A", "freshness": {"readChanges": "disclose"}}))
    assert "offerRef" not in edge(draft, "p.a")
    assert not draft.decision.tables
    strict = world(page_of(a={"does": "A"}), freshness={"positionChanges": "require-ack"})
    assert "offerRef" in edge(strict, "p.a")


def test_rows_are_composed_when_they_are_read() -> None:
    draft = world(page_of(a={"does": "A"}, b={"does": "B"}))
    read: list[str] = []
    draft.code.holds["p.a"] = [("app", lambda: read.append("a"))]
    rows = ServedRows(draft)
    assert list(rows) == ["p.a", "p.b"]
    assert len(rows) == 2
    assert rows["p.b"]["description"] == "B"
    assert read == []
    assert rows["p.a"] is rows["p.a"]
    assert read == ["a"]
    assert "p.c" not in rows


def test_looking_twice_changes_neither_versions_nor_offers() -> None:
    draft = world()
    first = available(draft)
    assert available(draft) == first
    assert draft.counters["version"] == 0
