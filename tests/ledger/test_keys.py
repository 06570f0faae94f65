import inspect
import re
from importlib.resources import files
from typing import get_type_hints

import pytest

from onefate.broker.ledger import keys, scripts
from onefate.broker.ledger.keys import FAMILIES, SessionKeys, family_of
from tests.guarantees import proves

pytestmark = proves("store:declared")

SOURCES = {
    each.name: each.read_text(encoding="utf-8")
    for each in (files("onefate.broker.ledger") / "lua").iterdir()
    if each.name.endswith(".lua")
}


def test_every_key_that_can_be_made_is_of_one_family() -> None:
    session = SessionKeys("user:7", "of")
    made = {
        session.session: "session",
        session.open: "open",
        session.table("offers"): "table",
        session.log("gaps"): "log",
        session.row("3"): "row",
        session.fire("1.3"): "fire",
        session.payload("3"): "payload",
        session.settlement("3"): "settlement",
        session.journal("3"): "journal",
        session.token("t"): "token",
        session.partition.work("q"): "work",
        session.partition.wake: "wake",
        session.partition.nudge: "nudge",
        keys.meta(): "meta",
    }
    assert set(made.values()) == {family.name for family in FAMILIES}
    for key, name in made.items():
        found = family_of(key)
        assert found is not None
        assert found.name == name
    assert family_of("of:other") is None


def test_no_two_sessions_share_a_token_whatever_it_is_made_of() -> None:
    named = [("a:b", "c"), ("a", "b:c"), ("a", "b%3Ac"), ("a", "b%253Ac"), ("a", "b")]
    made = [SessionKeys(session, "of").token(token) for session, token in named]
    assert len({key.partition("}:")[2] for key in made}) == len(named)


@pytest.mark.parametrize("slots", scripts.FIXED, ids=lambda slots: slots.script.name)
def test_the_header_of_a_script_lists_the_slots_of_its_wrapper(
    slots: scripts.Slots[tuple[str, ...], tuple[str, ...]],
) -> None:
    header = _header(slots.script.source)
    assert _listed(header["KEYS"]) == len(get_type_hints(slots.keys))
    assert _listed(header["ARGV"]) == len(get_type_hints(slots.args))


@pytest.mark.parametrize("name", SOURCES)
def test_a_script_says_what_it_is_for_and_keeps_to_what_every_server_has(name: str) -> None:
    source = SOURCES[name]
    assert set(_header(source)) == {"KEYS", "ARGV", "Replies", "Invariant"}
    assert len(source.splitlines()) <= 80
    code = "\n".join(line for line in source.splitlines() if not line.startswith("--"))
    assert not re.search(r"\b(cjson|cmsgpack|bit|struct|loadstring|os)\.", code)
    assert not re.search(r"redis\.call\([^)]*\.\. *KEYS|KEYS\[\d+\] *\.\.", code)


def test_every_script_file_has_a_wrapper() -> None:
    assert {f"{script.name}.lua" for script in scripts.ALL} == set(SOURCES)
    assert inspect.ismodule(scripts)


def _header(source: str) -> dict[str, str]:
    lines = [line.removeprefix("--").rstrip() for line in source.splitlines() if line[:2] == "--"]
    found: dict[str, str] = {}
    for line in lines:
        if match := re.match(r" (KEYS|ARGV|Replies|Invariant): (.*)", line):
            found[match[1]] = match[2]
        elif found:
            last = next(reversed(found))
            found[last] += " " + line.strip()
    return found


def _listed(text: str) -> int:
    return 0 if text == "none" else len(re.sub(r"\([^)]*\)", "", text).split(","))
