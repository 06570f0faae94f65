"""Where nodes stand: overlays, tabs, areas, instances, focus (spec: graph-session §6.3, §6.4)."""

import pytest

from onefate.broker.session.draft import Draft
from onefate.broker.session.motion import looking_at
from onefate.broker.session.reads.tree import (
    Existence,
    Hidden,
    NodeGate,
    Served,
    existence,
    node_gate,
)
from tests.guarantees import proves
from tests.session.reads.world import mount, signal, world

pytestmark = proves("answer:absent-not-filled", "call:never-waits")

VITALS, NOTES = "chart.vitals", "chart.notes"


def test_unmounted_app_serves_pages_areas_and_all_tabs_but_no_modal() -> None:
    draft = world()
    assert node_gate(draft, "chart") == Served("synced")
    assert node_gate(draft, "chart.sidebar") == Served("assumed")
    assert node_gate(draft, VITALS) == Served("assumed", doubtful=True)
    assert node_gate(draft, "chart.allergy") == Hidden("NODE_NOT_VISIBLE", "chart.allergy")


def test_a_lone_tab_is_assumed_without_doubt() -> None:
    alone = {"pages": {"p": {"tabs": {"t": {"actions": {"a": {"does": "A"}}}}}}}
    assert node_gate(world(alone), "p.t") == Served("assumed")


@pytest.mark.parametrize(
    ("mounted", "vitals", "notes"),
    [
        ([VITALS], Served("registered"), Hidden("NODE_NOT_VISIBLE", NOTES)),
        (
            [VITALS, NOTES],
            Served("registered", doubtful=True),
            Served("registered", doubtful=True),
        ),
    ],
)
def test_mounted_tabs_hide_their_unmounted_siblings(
    mounted: list[str], vitals: NodeGate, notes: NodeGate
) -> None:
    draft = world()
    mount(draft, *mounted)
    assert node_gate(draft, VITALS) == vitals
    assert node_gate(draft, NOTES) == notes


def test_a_shown_tab_hides_its_siblings_and_a_hidden_one_says_so() -> None:
    draft = world()
    signal(draft, chart__notes=True)
    assert node_gate(draft, NOTES) == Served("shown")
    assert node_gate(draft, VITALS) == Hidden("NODE_NOT_VISIBLE", VITALS)
    signal(draft, chart__notes=False)
    assert node_gate(draft, NOTES) == Hidden("NODE_NOT_VISIBLE", NOTES)
    assert node_gate(draft, VITALS) == Served("assumed", doubtful=True)


def test_an_open_modal_masks_everything_outside_it() -> None:
    draft = world()
    signal(draft, chart__allergy=True)
    blocked = Hidden("BLOCKED_BY_OVERLAY", "chart.allergy")
    assert node_gate(draft, "chart") == blocked
    assert node_gate(draft, "chart.sidebar") == blocked
    assert node_gate(draft, "chart.allergy") == Served("shown")
    assert node_gate(draft, "chart.allergy.list") == Served("assumed")


def test_of_two_open_modals_the_first_declared_is_named_and_either_may_be_inside() -> None:
    draft = world()
    signal(draft, chart__allergy=True, chart__sidebar__help=True)
    first = node_gate(draft, "chart")
    assert first == Hidden("BLOCKED_BY_OVERLAY", "chart.sidebar.help")
    assert node_gate(draft, "chart.allergy") == Served("shown")
    assert node_gate(draft, "chart.sidebar.help") == Served("shown")


def test_a_popover_masks_nothing_and_must_be_opened() -> None:
    draft = world()
    assert node_gate(draft, "chart.tip") == Hidden("NODE_NOT_VISIBLE", "chart.tip")
    mount(draft, "chart.tip")
    assert node_gate(draft, "chart.tip") == Served("registered")
    assert node_gate(draft, "chart") == Served("synced")


def test_a_modal_inside_a_hidden_area_masks_nothing() -> None:
    draft = world()
    signal(draft, chart__sidebar=False, chart__sidebar__help=True)
    assert node_gate(draft, "chart") == Served("synced")
    assert node_gate(draft, "chart.sidebar.help") == Hidden("NODE_NOT_VISIBLE", "chart.sidebar")


def test_a_mounted_modal_that_is_signalled_hidden_is_closed() -> None:
    draft = world()
    mount(draft, "chart.allergy")
    assert node_gate(draft, "chart") == Hidden("BLOCKED_BY_OVERLAY", "chart.allergy")
    signal(draft, chart__allergy=False)
    assert node_gate(draft, "chart") == Served("synced")


def test_instances_are_what_is_mounted_where_nothing_selects() -> None:
    draft = world()
    node = draft.map.nodes["chart.beds"]
    assert existence(draft, node) == Existence((), "mounted-window")
    draft.edit(Draft.nodes)["instances"]["chart.beds"] = {"b1": 1, "gone": 0, "b2": 2}
    assert existence(draft, node) == Existence(("b1", "b2"), "mounted-window")


def selecting(answer: object) -> Draft:
    def instances(_: object) -> object:
        if isinstance(answer, Exception):
            raise answer
        return answer

    beds = {"repeats": True, "instances": instances, "actions": {"visit": {"does": "Visit"}}}
    draft = world({"pages": {"ward": {"areas": {"beds": beds}}}})
    draft.edit(Draft.nodes)["instances"]["ward.beds"] = {"m": 1}
    return draft


def test_a_selector_gives_the_full_set_as_short_readable_texts() -> None:
    draft = selecting([1, "a\nb", "x" * 130, True, None])
    found = existence(draft, draft.map.nodes["ward.beds"])
    assert found.enumeration == "selector"
    assert found.keys == ("1", "ab", "x" * 120, "true", "null")


def test_fifty_instances_are_shown_of_all() -> None:
    draft = selecting([f"b{n}" for n in range(60)])
    found = existence(draft, draft.map.nodes["ward.beds"])
    assert (len(found.shown), found.total) == (50, 60)


@pytest.mark.parametrize("answer", ["b1", {"b1": 1}, None, ValueError("no list")])
def test_a_broken_selector_falls_back_and_tells_the_developer(answer: object) -> None:
    draft = selecting(answer)
    found = existence(draft, draft.map.nodes["ward.beds"])
    assert found == Existence(("m",), "mounted-window")
    assert len(draft.decision.warnings) == 1


def test_a_selector_cannot_change_the_state_it_reads() -> None:
    seen: list[dict[str, list[int]]] = []

    def instances(state: dict[str, list[int]]) -> list[int]:
        seen.append(state)
        state["ids"].append(3)
        return state["ids"]

    beds = {"repeats": True, "instances": instances, "actions": {"visit": {"does": "Visit"}}}
    draft = world({"pages": {"ward": {"areas": {"beds": beds}}}}, state={"ids": [1]})
    assert existence(draft, draft.map.nodes["ward.beds"]).keys == ("1", "3")
    assert draft.state == {"ids": [1]}
    assert seen


def test_focus_reads_as_its_nearest_served_ancestor() -> None:
    draft = world()
    assert looking_at(draft) is None
    position = draft.edit(Draft.position)
    position["focus"] = "chart.allergy.list"
    assert looking_at(draft) is None
    signal(draft, chart__allergy=True)
    assert looking_at(draft) == "chart.allergy.list"
    signal(draft, chart__allergy__list=False)
    assert looking_at(draft) == "chart.allergy"
    position["node"] = "home"
    assert looking_at(draft) is None
