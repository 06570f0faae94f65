"""What a map compiles to: order, composition, resolution, and the Python way to write one."""

import textwrap
from collections.abc import Callable
from typing import cast

import pytest

from onefate.broker.journey import (
    ActionDefinition,
    Blocked,
    Concurrency,
    Filter,
    Freshness,
    HumanDecides,
    JourneyMap,
    MapDefinition,
    MapError,
    ModalDefinition,
    PageDefinition,
    PrincipalPolicy,
    RootActionDefinition,
    compile_map,
    declare_action,
    from_journeys,
    from_routes,
    map_json_schema,
    map_json_schema_text,
    models,
)
from tests.guarantees import proves
from tests.journey.maps import CLINIC, action

pytestmark = proves("tools:bytes-stable", "answer:absent-not-filled")


@pytest.fixture
def clinic() -> JourneyMap:
    return compile_map("clinic", CLINIC)


def test_containers_come_before_their_node_and_root_actions_last(clinic: JourneyMap) -> None:
    assert list(clinic.actions) == [
        "intake.allergies.add",
        "intake.new.compare",
        "intake.save",
        "visit.note",
        "print",
    ]
    assert list(clinic.nodes) == [
        "intake",
        "intake.allergies",
        "intake.old",
        "intake.new",
        "intake.help",
        "intake.sign",
        "visit",
    ]
    assert list(clinic.pages) == ["intake", "visit"]
    assert clinic.action_nodes["print"] == ("intake", "visit")
    assert clinic.action_nodes["intake.allergies.add"] == ("intake.allergies",)
    assert clinic.routes == {"intake": "/intake", "visit": "/visits/:id"}


def test_guards_are_composed_and_containers_know_their_place(clinic: JourneyMap) -> None:
    add = clinic.actions["intake.allergies.add"]
    assert add.guard is not None
    assert add.guard.wire() == {"open": {"eq": True}, "level": {"gte": 2, "lt": 9}}
    assert (add.node, add.on, add.guard_keys) == (
        "intake.allergies",
        ("intake",),
        ("open", "level"),
    )
    assert clinic.actions["print"].guard_keys == ()
    overlays = {path: node.overlay for path, node in clinic.nodes.items()}
    assert [path for path, overlay in overlays.items() if overlay] == ["intake.sign"]
    assert [node.path for node in clinic.siblings("intake.old")] == ["intake.new"]
    assert clinic.siblings("intake") == ()
    assert [node.path for node in clinic.lineage("intake.old")] == ["intake", "intake.old"]
    assert clinic.nodes["intake"].actions == ("intake.save",)


def test_journeys_name_exact_actions(clinic: JourneyMap) -> None:
    checkin = clinic.journeys["checkin"]
    assert checkin.steps == ("intake.allergies.add", "intake.save", "print")
    assert isinstance(checkin.precondition, Filter)
    assert clinic.required_state_keys() == ("level", "open", "patient", "said")


def test_an_action_has_everything_worked_out(clinic: JourneyMap) -> None:
    note, save = clinic.actions["visit.note"], clinic.actions["intake.save"]
    assert note.verify_covers_writes
    assert not save.verify_covers_writes
    assert (save.role, note.role, save.goes_to) == ("next", "action", "visit")
    assert (note.reads, note.writes, note.expects, note.no_input) == (None, ("note",), None, False)
    decides = note.human_decides
    assert isinstance(decides, HumanDecides)
    assert decides.about == "what to say"


def test_every_declaration_of_an_action_arrives() -> None:
    declared = action(
        confirm=True,
        input="none",
        reads=[],
        role="submit",
        blockedBecause={"says": "Closed", "clearedBy": "app"},
        concurrency={"mode": "once"},
        freshness={"readChanges": "refuse"},
        principalPolicy={"mayInvoke": ["human", "human"], "requiresHumanApproval": False},
        observability="external",
        binding={"kind": "url", "href": "/a?b=:c", "why": {"x": [1]}},
        enabledWhen={"a": {"eq": 1}},
    )
    act = compile_map("office", declared).actions["desk.act"]
    assert (act.high_effect, act.no_input, act.expects, act.reads) == (True, True, "none", ())
    assert act.blocked_because == Blocked("Closed", "app")
    assert act.concurrency == Concurrency("once", "action")
    assert act.freshness == Freshness(read_changes="refuse")
    assert act.principal_policy == PrincipalPolicy(
        may_invoke=("human", "human"), requires_human_approval=False
    )
    assert (act.role, act.observability) == ("submit", "external")
    assert act.binding == {"kind": "url", "href": "/a?b=:c", "why": {"x": [1]}}


def test_a_map_does_not_change_with_what_it_was_made_of() -> None:
    binding: dict[str, object] = {"kind": "programmatic", "provider": {"name": "x"}}
    allowed: list[object] = [1]
    graph = compile_map("office", action(binding=binding, when={"a": {"in": allowed}}))
    allowed.append(2)
    binding["provider"] = None
    act = graph.actions["desk.act"]
    assert act.binding == {"kind": "programmatic", "provider": {"name": "x"}}
    assert act.guard is not None
    assert act.guard.wire() == {"a": {"in": [1]}}


def test_unread_keys_and_look_alikes_build() -> None:
    graph = compile_map(
        "office", action(when={"constructors": {"eq": 1}}, skills={}, go_to="attic")
    )
    assert graph.actions["desk.act"].goes_to is None


def test_a_part_that_repeats_may_read_its_instances() -> None:
    def rows(_state: object) -> list[str]:
        return ["a"]

    declared = {"pages": {"desk": {"tabs": {"rows": {"repeats": True, "instances": rows}}}}}
    node = compile_map("office", declared).nodes["desk.rows"]
    assert (node.repeats, node.instances, node.kind) == (True, rows, "tab")


def test_a_declaration_at_mount_time_joins_the_tree(clinic: JourneyMap) -> None:
    declared = ActionDefinition(does="Ask", when={"asked": {"eq": False}}, go_to="visit")
    asked = declare_action(clinic, "intake.allergies", "ask", declared)
    assert asked.id == "intake.allergies.ask"
    assert asked.description_source == "registration"
    assert asked.guard_keys == ("open", "level", "asked")
    assert (asked.on, asked.role) == (("intake",), "next")
    assert "intake.allergies.ask" not in clinic.actions


def test_tables_give_pages_links_and_journeys() -> None:
    routes = from_routes(
        {"home": "/", "rooms": {"route": "/rooms", "does": "Rooms"}, "room": "/rooms/:id"},
        cross_links=True,
    )
    flows = from_journeys({"tour": {"does": "Tour", "steps": ["go-to-rooms", "look"]}})
    hotel = MapDefinition(
        sources=[routes, flows],
        pages={"room": PageDefinition(actions={"look": ActionDefinition(does="Look around")})},
        actions={"go-to-home": RootActionDefinition(does="Walk home", on=["room"], go_to="home")},
    )
    graph = compile_map("hotel", hotel)
    assert list(graph.pages) == ["home", "rooms", "room"]
    assert graph.routes["room"] == "/rooms/:id"
    assert list(graph.actions) == ["room.look", "go-to-home", "go-to-rooms"]
    rooms = graph.actions["go-to-rooms"]
    assert (rooms.description, rooms.on) == ("Go to Rooms", ("home", "room"))
    assert rooms.binding == {"kind": "url", "href": "/rooms"}
    assert graph.actions["go-to-home"].binding is None
    assert graph.journeys["tour"].steps == ("go-to-rooms", "room.look")


def test_links_and_pages_of_tables() -> None:
    routes = from_routes({"home": "/", "rooms": "/rooms"}, cross_links=["rooms"])
    pages = {"home": PageDefinition(does="Start"), "rooms": PageDefinition(route="/rooms/")}
    graph = compile_map("hotel", MapDefinition(sources=[routes], pages=pages))
    assert list(graph.actions) == ["go-to-rooms"]
    assert graph.routes == {"home": "/", "rooms": "/rooms/"}
    alone = from_routes({"home": "/"}, cross_links=True)
    assert not compile_map("hotel", MapDefinition(sources=[alone])).actions
    bare = compile_map("hotel", MapDefinition(sources=[from_routes({"home": "/"})]))
    assert list(bare.pages) == ["home"]


@pytest.mark.parametrize(
    "source",
    [
        lambda: from_routes(cast("dict[str, str]", None)),
        lambda: from_routes({"home": "/"}, cross_links=cast("list[str]", "home")),
        lambda: from_routes({"home": "/"}, cross_links=cast("list[str]", [None])),
        lambda: from_journeys(cast("dict[str, object]", [])),
    ],
)
def test_a_table_that_is_none_is_refused(source: Callable[[], object]) -> None:
    with pytest.raises(MapError):
        source()


def test_a_journey_of_two_tables_is_refused() -> None:
    flows = from_journeys({"tour": {"does": "Tour", "steps": ["look"]}})
    with pytest.raises(MapError, match=r"^sources\[1\]\.journeys\.tour: "):
        compile_map("hotel", MapDefinition(sources=[flows, flows]))


def test_models_and_wire_form_make_one_map() -> None:
    written = MapDefinition(
        pages={
            "desk": PageDefinition(
                modals={"ask": ModalDefinition(blocks=False)},
                actions={"act": ActionDefinition(does="Act", enabled_when={"a": {"eq": 1}})},
            )
        }
    )
    wire: dict[str, object] = {
        "pages": {
            "desk": {
                "modals": {"ask": {"blocks": False}},
                "actions": {"act": {"does": "Act", "enabledWhen": {"a": {"eq": 1}}}},
            }
        }
    }
    assert compile_map("office", written).fingerprint == compile_map("office", wire).fingerprint


def test_the_example_of_the_models_compiles() -> None:
    lines = (models.__doc__ or "").split("A map in Python:\n")[1]
    names: dict[str, object] = {**vars(models), "compile_map": compile_map}
    exec(textwrap.dedent(lines), names)  # noqa: S102 - our own docstring
    graph = names["graph"]
    assert isinstance(graph, JourneyMap)
    assert graph.journeys["buy"].steps == ("basket.add", "basket.pay")


def test_the_schema_of_the_file_is_one_text() -> None:
    schema = map_json_schema()
    assert map_json_schema_text() == map_json_schema_text()
    definitions = schema["$defs"]
    assert isinstance(definitions, dict)
    act = definitions["ActionDefinition"]
    assert isinstance(act, dict)
    assert isinstance(act["properties"], dict)
    assert {"enabledWhen", "goTo", "humanDecides"} <= act["properties"].keys()
    assert act["required"] == ["does"]
    assert '"null"' not in map_json_schema_text()
