"""Every broken rule of a map is one typed error that names its path (departure 20)."""

import pickle
from collections.abc import Mapping

import pytest

from onefate.broker.errors import BadInput
from onefate.broker.journey import (
    MapError,
    compile_map,
    declare_action,
    from_journeys,
    from_routes,
    path_text,
)
from tests.guarantees import proves
from tests.journey.maps import CLINIC, action, page, with_journey, with_sources

pytestmark = proves("answer:absent-not-filled")

ACT = "pages.desk.actions.act"
EXCESSIVE = list(range(1001))


def nested(depth: int) -> dict[str, object]:
    """A page with areas nested so deep."""
    inner: dict[str, object] = {}
    for _ in range(depth):
        inner = {"areas": {"a": inner}}
    return inner


def desk(**actions: Mapping[str, object]) -> dict[str, object]:
    """A page and root actions."""
    return {"pages": {"desk": {}}, "actions": actions}


BROKEN: dict[str, tuple[dict[str, object], str, str]] = {
    "no pages": ({"pages": {}}, "NO_PAGES", "pages"),
    "pages left out": ({}, "NO_PAGES", "pages"),
    "pages of another shape": ({"pages": []}, "WRONG_SHAPE", "pages"),
    "a null": ({"pages": {"desk": {"does": None}}}, "WRONG_SHAPE", "pages.desk.does"),
    "a blank page": ({"pages": {" ": {}}}, "BAD_NAME", 'pages[" "]'),
    "a reserved character": ({"pages": {"a.b": {}}}, "BAD_NAME", 'pages["a.b"]'),
    "a name of two lines": (
        page(actions={"a\nb": {"does": "x"}}),
        "BAD_NAME",
        "pages.desk.actions",
    ),
    "a bad area": (page(areas={"a|b": {}}), "BAD_NAME", "pages.desk.areas.a|b"),
    "a bad action": (
        page(actions={"a#b": {"does": "A"}}),
        "BAD_NAME",
        "pages.desk.actions.a#b",
    ),
    "a page that repeats": (page(repeats=True), "MISPLACED", "pages.desk.repeats"),
    "instances alone": (
        page(areas={"rows": {"instances": len}}),
        "MISPLACED",
        "pages.desk.areas.rows.instances",
    ),
    "instances as data": (
        page(areas={"rows": {"repeats": True, "instances": ["a"]}}),
        "WRONG_SHAPE",
        "pages.desk.areas.rows.instances",
    ),
    "one name in two buckets": (
        page(areas={"x": {}}, tabs={"x": {}}),
        "NAME_TAKEN",
        "pages.desk.tabs.x",
    ),
    "a container and an action": (
        page(areas={"x": {}}, actions={"x": {"does": "X"}}),
        "NAME_TAKEN",
        "pages.desk.actions.x",
    ),
    "nested too deeply": (page(**nested(120)), "MISPLACED", ""),
    "nested past any reader": (page(**nested(400)), "WRONG_SHAPE", ""),
    "on nothing": (desk(help={"does": "Help", "on": []}), "MISPLACED", "actions.help.on"),
    "on a number": (desk(help={"does": "Help", "on": 5}), "MISPLACED", "actions.help.on"),
    "on no page": (desk(help={"does": "Help", "on": "x"}), "UNKNOWN_PAGE", "actions.help.on"),
    "on left out": (desk(help={"does": "Help"}), "WRONG_SHAPE", "actions.help.on"),
    "named like a page": (
        desk(desk={"does": "Help", "on": "desk"}),
        "NAME_TAKEN",
        "actions.desk",
    ),
    "the way out": (
        desk(**{"leave-journey": {"does": "L", "on": "desk"}}),
        "RESERVED_NAME",
        "actions.leave-journey",
    ),
    "does left out": (page(actions={"a": {}}), "WRONG_SHAPE", "pages.desk.actions.a.does"),
    "does blank": (page(actions={"a": {"does": "\t"}}), "BLANK_TEXT", "pages.desk.actions.a.does"),
    "an empty condition": (action(when={}), "EMPTY_FILTER", f"{ACT}.when"),
    "an empty node condition": (page(when={}), "EMPTY_FILTER", "pages.desk.when"),
    "a condition as a list": (action(enabledWhen=[]), "BAD_FILTER", f"{ACT}.enabledWhen"),
    "a bare value": (action(when={"a": 1}), "BAD_FILTER", f"{ACT}.when.a"),
    "no operator": (action(when={"a": {}}), "BAD_FILTER", f"{ACT}.when.a"),
    "an unknown operator": (action(when={"a.b": {"is": 1}}), "BAD_FILTER", f'{ACT}.when["a.b"]'),
    "a key that is no text": (action(when={5: {"eq": 1}}), "BAD_FILTER", f"{ACT}.when"),
    "a denied key": (action(verify={"valueOf": {"eq": 1}}), "BAD_FILTER", f"{ACT}.verify.valueOf"),
    "membership in no list": (action(when={"a": {"in": "xy"}}), "BAD_FILTER", f"{ACT}.when.a.in"),
    "too long a list": (
        action(when={"a": {"notIn": EXCESSIVE}}),
        "BAD_FILTER",
        f"{ACT}.when.a.notIn",
    ),
    "contradicting an ancestor": (
        page(when={"a": {"eq": 1}}, actions={"act": {"does": "A", "when": {"a": {"eq": True}}}}),
        "CONFLICTING_CONDITIONS",
        f"{ACT}.when.a.eq",
    ),
    "going nowhere": (action(goTo="attic"), "UNKNOWN_PAGE", f"{ACT}.goTo"),
    "no contract": (action(input={}), "BAD_INPUT_CONTRACT", f"{ACT}.input"),
    "blocked by a word": (action(blockedBecause="no"), "WRONG_SHAPE", f"{ACT}.blockedBecause"),
    "blocked by nobody": (
        action(blockedBecause={"says": "No", "clearedBy": "me"}),
        "WRONG_SHAPE",
        f"{ACT}.blockedBecause.clearedBy",
    ),
    "about nothing": (
        action(humanDecides={"about": " "}),
        "BLANK_TEXT",
        f"{ACT}.humanDecides.about",
    ),
    "about too much": (
        action(humanDecides={"about": "x" * 201}),
        "WRONG_SHAPE",
        f"{ACT}.humanDecides.about",
    ),
    "a user": (
        action(principalPolicy={"mayInvoke": ["user"]}),
        "WRONG_SHAPE",
        f"{ACT}.principalPolicy.mayInvoke",
    ),
    "nobody": (
        action(principalPolicy={"mayInvoke": []}),
        "WRONG_SHAPE",
        f"{ACT}.principalPolicy.mayInvoke",
    ),
    "told by nothing": (
        action(observability="postcondition"),
        "INCONSISTENT",
        f"{ACT}.observability",
    ),
    "no axis": (action(freshness={}), "WRONG_SHAPE", f"{ACT}.freshness"),
    "an unknown axis": (action(freshness={"x": "refuse"}), "WRONG_SHAPE", f"{ACT}.freshness.x"),
    "a scope of parallel": (
        action(concurrency={"mode": "parallel", "scope": "action"}),
        "INCONSISTENT",
        f"{ACT}.concurrency.scope",
    ),
    "an address with a parameter": (
        action(binding={"kind": "url", "href": "/rooms/:id"}),
        "WRONG_SHAPE",
        f"{ACT}.binding.href",
    ),
    "a binding as text": (action(binding="url"), "WRONG_SHAPE", f"{ACT}.binding"),
    "no steps": (with_journey(does="F", steps=[]), "WRONG_SHAPE", "journeys.flow.steps"),
    "steps as text": (with_journey(does="F", steps="sign"), "WRONG_SHAPE", "journeys.flow.steps"),
    "an unknown step": (
        with_journey(does="F", steps=["sign", "seal"]),
        "UNKNOWN_STEP",
        "journeys.flow.steps[1]",
    ),
    "an ambiguous step": (
        with_journey(does="F", steps=["file"]),
        "AMBIGUOUS_STEP",
        "journeys.flow.steps[0]",
    ),
    "a step of another shape": (
        with_journey(does="F", steps=[{"name": "sign"}]),
        "WRONG_SHAPE",
        "journeys.flow.steps[0].step",
    ),
    "an old key": ({"pages": {"desk": {"tools": {}}}}, "RENAMED_KEY", "pages.desk.tools"),
    "an old root key": (
        {"pages": {"desk": {}}, "skills": {}},
        "RENAMED_KEY",
        "skills",
    ),
    "an unknown source": (with_sources({"kind": "crawler"}), "WRONG_SHAPE", "sources[0]"),
    "a source without pages": (
        with_sources({"kind": "routes"}),
        "WRONG_SHAPE",
        "sources[0].pages",
    ),
    "one page of two sources": (
        with_sources(
            {"kind": "routes", "pages": {"a": {}}}, {"kind": "routes", "pages": {"a": {}}}
        ),
        "BAD_SOURCE",
        "sources[1].pages.a",
    ),
    "two routes of one page": (
        with_sources(
            {"kind": "routes", "pages": {"a": {"route": "/a"}}}, pages={"a": {"route": "/"}}
        ),
        "BAD_SOURCE",
        "pages.a.route",
    ),
    "a link to no address": (
        with_sources({"kind": "routes", "pages": {"a": {}}, "crossLinks": ["a"]}, pages={"b": {}}),
        "BAD_SOURCE",
        "sources[0].crossLinks[0]",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_rule_names_itself_and_its_path(case: str) -> None:
    definition, rule, path = BROKEN[case]
    with pytest.raises(MapError) as caught:
        compile_map("office", definition)
    assert (caught.value.code, caught.value.rule) == ("MAP_INVALID", rule)
    assert path_text(caught.value.path).startswith(path)
    assert str(caught.value) == f"{path_text(caught.value.path)}: {caught.value.problem}"
    assert isinstance(caught.value, BadInput)


def test_a_map_has_an_id() -> None:
    with pytest.raises(MapError, match=r"^id: "):
        compile_map("\u3000", action())


def test_an_error_survives_a_process_boundary() -> None:
    fault = MapError("BAD_NAME", ("pages", 1), "a name is not blank")
    copy = pickle.loads(pickle.dumps(fault))  # noqa: S301 - our own bytes
    assert (copy.rule, copy.path, str(copy)) == (fault.rule, fault.path, str(fault))
    assert path_text(()) == "the map"


@pytest.mark.parametrize(
    ("node", "name", "declared", "path"),
    [
        ("attic", "act", {"does": "A"}, "actions.act"),
        ("intake", "bad.name", {"does": "A"}, 'actions["bad.name"]'),
        ("intake", "allergies", {"does": "A"}, "actions.allergies"),
        ("intake", "act", {"does": "A", "goTo": "attic"}, "actions.act.goTo"),
        ("intake", "act", {"does": "A", "when": {"open": {"eq": 1}}}, "actions.act.when.open.eq"),
        ("intake", "leave-journey", {"does": "A"}, "actions.leave-journey"),
        ("intake", "act", {}, "actions.act.does"),
    ],
)
def test_a_mount_time_declaration_obeys_the_same_rules(
    node: str, name: str, declared: dict[str, object], path: str
) -> None:
    graph = compile_map("clinic", CLINIC)
    with pytest.raises(MapError) as caught:
        declare_action(graph, node, name, declared)
    assert path_text(caught.value.path) == path


def test_tables_are_judged_when_they_become_sources() -> None:
    with pytest.raises(MapError, match=r"^home\.actions: "):
        from_routes({"home": {"route": "/", "actions": ""}})
    with pytest.raises(MapError, match=r"^home: "):
        from_routes({"home": {"does": "Home"}})
    with pytest.raises(MapError, match=r"^crossLinks\.attic: "):
        from_routes({"home": "/"}, cross_links=["attic"])
    with pytest.raises(MapError, match=r"^flow\.steps: "):
        from_journeys({"flow": {"does": "Flow", "steps": "sign"}})
    with pytest.raises(MapError, match=r"^flow: "):
        from_journeys({"flow": 5})
