"""Names that every host accepts, and ways through the app."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from onefate.broker.journey import (
    Hop,
    UnknownPageError,
    compile_map,
    encode_tool_fields,
    encode_tool_name,
    how_to_reach,
    instance_key,
    is_legal_name,
    literal_address,
    match_route,
    matching_ids,
)
from tests.guarantees import proves

pytestmark = proves("tools:bytes-stable", "call:never-waits")

ANY_TEXT = st.text(st.characters(), max_size=8) | st.text("_.encu0 é", max_size=10)


@pytest.mark.parametrize(
    ("raw", "encoded"),
    [
        ("a b.c", "_enc_a_u0020b.c"),
        ("_enc_x", "_enc___enc__x"),
        ("a_b.c-d", "a_b.c-d"),
        ("é_", "_enc__u00e9__"),
        ("", "_enc_"),
        ("\U0001f9ea/a#1", "_enc__ud83e_uddea_u002fa_u00231"),
        ("a\n", "_enc_a_u000a"),
    ],
)
def test_encoded_names(raw: str, encoded: str) -> None:
    assert encode_tool_name(raw) == encoded


@given(ANY_TEXT, ANY_TEXT)
def test_encoding_is_injective_and_legal(one: str, other: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", encode_tool_name(one))
    same_units = one.encode("utf-16", "surrogatepass") == other.encode("utf-16", "surrogatepass")
    assume(not same_units)
    assert encode_tool_name(one) != encode_tool_name(other)


def test_fields_hide_their_dots() -> None:
    assert encode_tool_fields("a.b", "c") == "_enc_a_u002eb.c"


@pytest.mark.parametrize(
    "name",
    ["", "  ", "\ufeff", "a.b", "a[0]", "a#", "a/b", "a|b", "a\nb", "\x00", "\ud800", 5, None],
)
def test_illegal_names(name: object) -> None:
    assert not is_legal_name(name)


def test_short_names_resolve_by_their_ending() -> None:
    ids = ("desk.save", "hall.save", "desk.area.note", "note")
    assert matching_ids(ids, "save") == ("desk.save", "hall.save")
    assert matching_ids(ids, "note") == ("note",)
    assert matching_ids(ids, "area.note") == ("desk.area.note",)
    assert matching_ids(ids, "ave") == ()
    assert instance_key("desk.save", "7") == "desk.save[7]"


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("/", "home"),
        ("rooms/new/?x=1#y", "new"),
        ("/rooms/12", "room"),
        ("/rooms/12/beds", None),
        ("/ROOMS/12", None),
        ("/a/b", "first"),
    ],
)
def test_the_best_route_wins(url: str, page: str | None) -> None:
    routes = {
        "home": "/",
        "room": "/rooms/:id",
        "new": "/rooms/new",
        "first": "/:x/b",
        "second": "/a/:y",
    }
    assert match_route(routes, url) == page


def test_ways_and_addresses() -> None:
    pages: dict[str, object] = {
        "a": {"actions": {"x": {"does": "X", "goTo": "b"}, "y": {"does": "Y", "goTo": "c"}}},
        "b": {"actions": {"z": {"does": "Z", "goTo": "d", "binding": {"kind": "keychord"}}}},
        "c": {"route": "/c", "actions": {"w": {"does": "W", "goTo": "d"}}},
        "d": {"route": "/d/:id"},
        "e": {},
    }
    up = {"does": "Up", "on": ["d"], "binding": {"kind": "url", "href": "/?to=:a"}}
    graph = compile_map("maze", {"pages": pages, "actions": {"up": up}})
    assert how_to_reach(graph, "a", "a") == ()
    assert how_to_reach(graph, "a", "d") == (Hop("a.x", "b"), Hop("b.z", "d"))
    assert how_to_reach(graph, "a", "e") is None
    assert how_to_reach(graph, "somewhere else", "a") is None
    with pytest.raises(UnknownPageError, match="'f'"):
        how_to_reach(graph, "a", "f")
    addresses = {a.id: literal_address(a, graph.routes) for a in graph.actions.values()}
    assert addresses == {"a.x": None, "a.y": "/c", "b.z": None, "c.w": None, "up": "/?to=:a"}
