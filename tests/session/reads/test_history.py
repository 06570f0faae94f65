"""What is read of history: causes, changes, loads (spec: graph-session §5.2, §5.3)."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onefate.broker.session.draft import Draft, RecordsNeeded, Snapshot
from onefate.broker.session.reads import texts
from onefate.broker.session.reads.changes import changed_for, keys_changed_since
from onefate.broker.session.reads.history import latest_rows, rows_since, together
from onefate.broker.session.reads.slice import DEEPEST, MOST, why
from onefate.broker.session.state import Principal
from tests.guarantees import proves
from tests.session.reads.world import happened, world

pytestmark = proves("answer:absent-not-filled", "answer:one-truth")


def test_a_callers_own_later_write_takes_a_key_out_and_a_strangers_puts_it_back() -> None:
    draft = world()
    happened(draft, changed=["x", "y"], principal="system")
    happened(draft, changed=["x"], principal="agent")
    assert keys_changed_since(draft, 0, "agent") == ["y"]
    assert keys_changed_since(draft, 0) == ["x", "y"]
    happened(draft, changed=["x"], principal="user")
    assert keys_changed_since(draft, 0, "agent") == ["y", "x"]
    assert changed_for(draft, 0, "agent") == {"x", "y"}


def test_a_version_from_an_earlier_answer_gives_exactly_the_later_changes() -> None:
    draft = world()
    happened(draft, changed=["x"], principal="system")
    then = draft.counters["version"]
    happened(draft, changed=["y"], principal="system")
    assert keys_changed_since(draft, then) == ["y"]
    assert changed_for(draft, then) == {"y"}
    assert changed_for(draft, None) == {"x", "y"}
    assert changed_for(draft, draft.counters["version"]) == set()


PRINCIPALS: st.SearchStrategy[Principal] = st.sampled_from(["user", "agent", "system"])
WRITES = st.lists(st.tuples(PRINCIPALS, st.lists(st.sampled_from("abc"), unique=True)))


@given(WRITES, st.integers(0, 12), st.none() | PRINCIPALS)
def test_the_bounded_answer_is_the_one_that_history_gives(
    writes: list[tuple[Principal, list[str]]], since: int, caller: Principal | None
) -> None:
    draft = world()
    for principal, keys in writes:
        happened(draft, changed=keys, principal=principal)
    assert changed_for(draft, since, caller) == set(keys_changed_since(draft, since, caller))


def test_the_slice_follows_the_guards_and_names_each_row_once() -> None:
    draft = world()
    happened(draft, "page", changed=["auth"])
    happened(draft, "chart.leave", changed=["cart"], reads=["auth"])
    happened(draft, "chart.sign", changed=["paid"], reads=["cart", "auth"])
    found = why(draft, "paid")
    assert found.ids == ("chart.sign#2", "chart.leave#1", "page#0")
    assert found.text.splitlines()[1:] == [
        "chart.sign (chart.sign#2) changed paid",
        "  because of cart: chart.leave (chart.leave#1) changed cart",
        "    because of auth: page (page#0) changed auth",
        "  because of auth: page (page#0), shown above",
    ]


def test_the_latest_commit_governs_whichever_row_it_belongs_to() -> None:
    draft = world()
    late = happened(draft, "page", outcome="pending")
    happened(draft, "chart.leave", changed=["x"])
    assert why(draft, "x").ids == ("chart.leave#1",)
    late["bundle"] = {"seq": 7, "changed": ["x"], "reads": ["x"]}
    assert why(draft, "x").ids == ("page#0", "chart.leave#1")


def test_a_guard_may_have_read_what_nothing_wrote() -> None:
    draft = world(state={"given": 1})
    happened(draft, "page", changed=["x"], reads=["given", "x"])
    assert why(draft, "x").ids == ("page#0",)


def test_of_a_very_long_history_the_latest_rows_are_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("onefate.broker.session.reads.slice.SEARCHED", 2)
    draft = world()
    happened(draft, "page", changed=["old"])
    happened(draft, "page", changed=["x"], reads=["old"])
    happened(draft, "page")
    assert why(draft, "x").ids == ("page#1",)
    assert why(draft, "x").text.endswith(texts.SLICE_CUT)
    assert why(draft, "old").text == texts.NOT_FOUND.format(key="old", count=2)


def test_what_nobody_fired_is_named_by_its_kind() -> None:
    draft = world()
    happened(draft, principal="user", stimulus="push", changed=["x"])
    assert why(draft, "x").text.splitlines()[1] == "push (stimulus:push#0) changed x"


def test_a_key_that_nothing_wrote_is_answered() -> None:
    draft = world()
    assert len(why(draft, "x").text.splitlines()) == 2
    happened(draft, changed=["y"])
    found = why(draft, "x")
    assert len(found.text.splitlines()) == 1
    assert found.ids == ()


def test_the_slice_is_bounded_in_depth_and_in_size() -> None:
    draft = world()
    for n in range(DEEPEST + 10):
        happened(draft, "page", changed=[f"k{n}"], reads=[f"k{n - 1}"] if n else [])
    deep = why(draft, f"k{DEEPEST + 9}")
    assert len(deep.ids) == DEEPEST + 1
    wide = world()
    for n in range(MOST + 10):
        happened(wide, "page", changed=[f"k{n}"])
    happened(wide, "page", changed=["all"], reads=[f"k{n}" for n in range(MOST + 10)])
    assert len(why(wide, "all").ids) == MOST


def unloaded(draft: Draft) -> Draft:
    """The same session as another process finds it: sections at hand, history not."""
    sections = {**draft.snapshot.sections, **draft.decision.sections}
    return Draft(draft.map, draft.options, Snapshot(sections), now=draft.now)


def needed_by(read: Callable[[], object]) -> RecordsNeeded:
    with pytest.raises(RecordsNeeded) as needed:
        read()
    return needed.value


def test_the_rows_before_a_version_are_not_loaded() -> None:
    draft = world()
    for _ in range(50):
        happened(draft)
    cold = unloaded(draft)
    assert needed_by(lambda: rows_since(cold, 47)).tables == {"rows": ["47", "48", "49"]}
    assert needed_by(lambda: latest_rows(cold, 2)).tables == {"rows": ["48", "49"]}
    assert rows_since(cold, 50) == []
    assert [row["n"] for row in latest_rows(draft, 5, 48)] == [48, 49]


def test_several_loads_are_asked_for_at_once() -> None:
    draft = world()
    for _ in range(3):
        happened(draft)
    draft.gaps.append({"kind": "reported"})
    draft.gaps.append({"kind": "reported"})
    cold = unloaded(draft)
    needed = needed_by(
        lambda: together(
            lambda: cold.rows.get("0"),
            lambda: latest_rows(cold, 1),
            lambda: cold.gaps.slice(0, 1),
            lambda: cold.gaps.slice(1, 2),
        )
    )
    assert needed.tables == {"rows": ["0", "2"]}
    assert needed.logs == {"gaps": (0, 2)}
