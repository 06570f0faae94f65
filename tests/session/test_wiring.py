"""What is wired and mounted, and what of it moves the session (spec: graph-session §7)."""

from collections.abc import Mapping

import pytest

from onefate.broker.session import motion, registry, structure
from onefate.broker.session.errors import NotRepeated, UnknownAction, UnknownName, UnknownNode
from onefate.broker.session.state import Wire
from tests.guarantees import proves
from tests.session.app import App

pytestmark = [proves("fire:atomic"), pytest.mark.usefixtures("kept")]

MAP: Wire = {
    "pages": {
        "p": {
            "areas": {
                "side": {"actions": {"pin": {"does": "Pin"}}},
                "rows": {"repeats": True, "actions": {"bump": {"does": "Bump"}}},
            },
            "tabs": {"one": {"actions": {"a": {"does": "A"}}}, "two": {}},
            "actions": {"save": {"does": "Save"}, "scan": {"does": "Scan"}},
        },
        "q": {"areas": {"far": {}}},
    },
    "actions": {"help": {"does": "Help", "on": ["p", "q"]}},
}


def never(_state: object) -> bool:
    return False


def mounted(
    app: App,
    path: str = "p",
    *handlers: str,
    actions: Mapping[str, Mapping[str, object]] | None = None,
    instance: str | None = None,
    visible: bool | None = None,
) -> str:
    handle = app.decide(
        lambda d: registry.register_actions(
            d, path, handlers=handlers, actions=actions, instance=instance, visible=visible
        )
    )
    app.flush()
    return handle["id"]


def bindings(app: App) -> list[str]:
    return list(app.memory.draft().registry["bindings"])


def test_names_resolve_on_the_node_and_beyond() -> None:
    app = App(MAP)
    assert mounted(app, "p", "save", "help", "p.side.pin") == "mount:p#1"
    assert bindings(app) == ["p.save", "help", "p.side.pin"]


def test_what_means_nothing_is_refused() -> None:
    app = App(MAP)
    with pytest.raises(UnknownNode):
        mounted(app, "nowhere")
    with pytest.raises(NotRepeated):
        mounted(app, "p", instance="i1")
    with pytest.raises(UnknownAction):
        app.decide(lambda d: registry.register_handlers(d, "app", ["p.nope"]))
    with pytest.raises(UnknownNode):
        app.decide(lambda d: registry.show(d, "nowhere"))
    assert app.versions == (0, 0, 0)


def test_a_group_switches_no_name_it_did_not_register_and_nothing_once_released() -> None:
    app = App(MAP)
    group = mounted(app, "p", "save")
    with pytest.raises(UnknownName):
        app.decide(lambda d: registry.set_enabled(d, group, "scan", enabled=False))
    app.decide(lambda d: registry.unregister(d, group))
    app.flush()
    before = app.versions
    app.decide(lambda d: registry.set_enabled(d, group, "save", enabled=False))
    app.decide(lambda d: registry.set_busy(d, group, "save", "Working"))
    app.flush()
    assert app.versions == before


def test_a_group_switches_by_name_or_id_what_it_still_owns() -> None:
    app = App(MAP)
    group = mounted(app, "p", "save", "scan")
    app.decide(lambda d: registry.set_enabled(d, group, "save", enabled=False))
    app.decide(lambda d: registry.set_enabled(d, group, "p.scan", enabled=False))
    app.flush()
    assert app.fire("p.save", "user")["reason"] == "TOOL_DISABLED"
    mounted(app, "p", "save")
    app.decide(lambda d: registry.set_enabled(d, group, "save", enabled=False))
    app.decide(lambda d: registry.set_busy(d, group, "save", "Working"))
    assert app.memory.draft().registry["bindings"]["p.save"] == {
        "group": "mount:p#2",
        "enabled": True,
    }


def test_said_at_registration() -> None:
    app = App(MAP)
    app.decide(
        lambda d: registry.register_actions(
            d,
            "p",
            handlers=["save", "scan"],
            enabled={"p.save": False},
            busy={"scan": "Warming up"},
            queue="here",
        )
    )
    wired = app.memory.draft().registry["bindings"]
    assert wired["p.save"] == {"group": "mount:p#1", "enabled": False, "queue": "here"}
    assert wired["p.scan"].get("busy") == "Warming up"


def test_a_busy_label_is_a_text_and_gates_nothing() -> None:
    app = App(MAP)
    group = mounted(app, "p", "save")
    app.decide(lambda d: registry.set_busy(d, group, "save", True))  # noqa: FBT003 - no label
    app.decide(lambda d: registry.set_busy(d, group, "save", "  "))
    assert "busy" not in app.memory.draft().registry["bindings"]["p.save"]
    app.decide(lambda d: registry.set_busy(d, group, "save", "Saving"))
    app.flush()
    row = app.served("p.save")
    assert row is not None
    assert row["busy"] == "Saving"
    assert app.fire("p.save")["ok"] is True
    app.decide(lambda d: registry.set_busy(d, group, "save"))
    app.decide(lambda d: registry.set_busy(d, group, "save"))
    app.flush()
    row = app.served("p.save")
    assert row is not None
    assert "busy" not in row


def test_changes_of_one_tick_are_one_row_and_reversed_ones_are_none() -> None:
    app = App(MAP)
    app.decide(lambda d: registry.register_handlers(d, "a", ["p.save"]))
    app.decide(lambda d: registry.register_handlers(d, "b", ["p.scan"]))
    app.flush()
    assert app.versions == (1, 0, 1)
    app.decide(lambda d: registry.set_enabled(d, "a", "p.save", enabled=False))
    app.decide(lambda d: registry.set_enabled(d, "a", "p.save", enabled=True))
    app.flush()
    app.flush()
    assert app.versions == (1, 0, 1)


def test_an_instance_is_no_motion_until_it_is_switched_off() -> None:
    app = App(MAP)
    group = mounted(app, "p.rows", "bump", instance="r1")
    assert app.versions == (0, 0, 0)
    assert bindings(app) == ["p.rows.bump[r1]"]
    assert app.fire("p.rows.bump", instance="r1")["ok"] is True
    assert app.fire("p.rows.bump", instance="r2")["reason"] == "INSTANCE_UNKNOWN"
    app.decide(lambda d: registry.set_enabled(d, group, "bump", enabled=False))
    app.flush()
    assert app.versions[2] == 1
    assert app.fire("p.rows.bump", "user", instance="r1")["reason"] == "TOOL_DISABLED"


def test_releasing_gives_back_everything_once() -> None:
    app = App(MAP)
    declared = {"extra": {"does": "Extra", "writes": ["k"]}}
    group = mounted(app, "p.side", "pin", "extra", actions=declared, visible=True)
    row = app.served("p.side.extra")
    assert row is not None
    assert (row["descriptionSource"], row["activation"]) == ("registration", "shown")
    for _ in range(2):
        app.decide(lambda d: registry.unregister(d, group))
        app.flush()
    draft = app.memory.draft()
    assert (draft.registry["bindings"], draft.registry["declared"]) == ({}, {})
    assert (draft.nodes["present"], draft.nodes["visible"]) == ({}, {})
    assert app.served("p.side.extra") is None
    assert app.versions == (2, 0, 2)


def test_the_newest_declaration_serves_and_the_one_before_returns() -> None:
    app = App(MAP)
    first = mounted(app, "p.side", "x", actions={"x": {"does": "First"}})
    second = mounted(app, "p.side", "x", actions={"x": {"does": "Second"}})
    assert app.memory.draft().action("p.side.x") is not None
    assert [row["description"] for row in app.look() if row["affordanceId"] == "p.side.x"] == [
        "Second"
    ]
    app.decide(lambda d: registry.unregister(d, second))
    row = app.served("p.side.x")
    assert row is not None
    assert row["description"] == "First"
    app.decide(lambda d: registry.unregister(d, first))
    assert app.memory.draft().action("p.side.x") is None


def test_a_static_action_is_not_declared_again() -> None:
    app = App(MAP)
    mounted(app, "p", "save", actions={"save": {"does": "Another save"}})
    row = app.served("p.save")
    assert row is not None
    assert (row["description"], row["materialized"]) == ("Save", True)


def test_functions_of_a_declaration_stay_in_the_process() -> None:
    app = App(MAP)
    definition: Wire = {"does": "Check", "verify": never}
    group = mounted(app, "p.side", "check", actions={"check": definition})
    declared = app.memory.draft().registry["declared"]["p.side.check"]
    assert declared[-1]["definition"] == {"does": "Check"}
    app.memory.code.remember(group, "p.side.check", definition)
    app.handlers["p.side.check"] = lambda _: "ran"
    receipt = app.receipt(app.done("p.side.check"))
    assert receipt is not None
    assert receipt.get("verifyHeld") is False
    app.memory.code.release(group)


def test_one_of_several_tabs_is_shown() -> None:
    app = App(MAP)
    app.decide(lambda d: registry.show(d, "p.two"))
    assert app.served("p.one.a") is None
    app.decide(lambda d: registry.show(d, "p.one"))
    row = app.served("p.one.a")
    assert row is not None
    assert row["activation"] == "shown"
    app.decide(lambda d: registry.set_visible(d, "p.one", visible=False))
    assert app.served("p.one.a") is None


def test_still_mounting() -> None:
    app = App(MAP)
    mounted(app, "p.rows", instance="r1")
    for source in ("agent", "user", "system"):
        assert app.fire("p.side.pin", source)["reason"] == "STILL_MOUNTING"
    assert app.fire("p.side.pin", "user", invoke=False)["ok"] is True


def test_what_is_mounted_elsewhere_for_long_is_reported_once() -> None:
    app = App(MAP)
    mounted(app, "p.side", "pin")
    mounted(app, "q.far")
    app.sync("q")
    app.memory.now += 3000
    for _ in range(2):
        app.decide(structure.check_drift)
    gaps = app.decide(lambda d: d.gaps.all())
    assert [gap.get("reason") for gap in gaps if gap["kind"] == "reported"] == ["sensor-drift"]
    app.sync("p")
    assert app.memory.draft().nodes["dormant"].keys() == {"q.far"}


def test_what_a_claimed_navigation_left_behind_falls_dormant_at_the_next_report() -> None:
    app = App(
        {
            "pages": {
                "p": {"actions": {"go": {"does": "Go", "goTo": "q"}}},
                "q": {"areas": {"far": {}}},
                "r": {},
            }
        }
    )
    mounted(app, "p", "go")
    mounted(app, "q.far")
    app.done("p.go")
    app.memory.now += 3000
    app.decide(structure.check_drift)
    assert [gap["kind"] for gap in app.decide(lambda d: d.gaps.all())] == ["dead-end"]
    app.sync("r")
    assert app.memory.draft().nodes["dormant"].keys() == {"p", "q.far"}


def test_a_container_is_reported_as_its_page() -> None:
    app = App(MAP)
    assert app.sync("q.far") == {"changed": True, "node": "q", "version": 1}


def test_looking_moves_nothing_but_the_focus() -> None:
    app = App(MAP)
    app.decide(lambda d: motion.observe_focus(d, "p.side", principal="user"))
    assert app.decide(motion.looking_at) == "p.side"
    with pytest.raises(UnknownNode):
        app.decide(lambda d: motion.observe_focus(d, "q.far"))
    app.sync("q")
    assert app.decide(motion.looking_at) is None
    moves = app.decide(lambda d: d.focus_log.all())
    assert [(move["from"], move["to"]) for move in moves] == [("p", "p.side"), ("p.side", "q")]
    assert app.versions == (1, 0, 0)


def test_what_is_said_once_is_kept_under_a_short_plain_key_whatever_the_page_is_called() -> None:
    app = App(MAP)
    mounted(app, "p.side", "pin")
    for page in ("\ud800", "x" * 5000):
        app.sync(page)
    marks = app.memory.snapshot.tables["marks"]
    assert len(marks) == 2
    assert all(key.isascii() and len(key) < 64 for key in marks)
