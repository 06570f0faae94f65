"""The tool array: fixed when a port is built, the same bytes everywhere (tools:bytes-stable)."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from onefate.broker.journey import JourneyMap, compile_map
from onefate.broker.session.options import SessionOptions
from onefate.port import Port, PortOptions, PortOptionsError, port_options
from onefate.port.tools import canonical_bytes, tool_array
from tests.guarantees import proves

pytestmark = proves("tools:bytes-stable")

DEFINITION = {
    "pages": {
        "cart": {"actions": {"add": {"does": "Add"}, "pay": {"does": "Pay", "confirm": True}}},
    },
    "journeys": {
        "zebra": {"does": "Zebra first", "steps": ["add", "pay"]},
        "apple": {"does": "Then an apple", "steps": ["pay"]},
    },
}
DIGEST_IN_ANOTHER_PROCESS = """
import hashlib
from tests.port.test_tools import port
print(hashlib.sha256(port().tool_bytes).hexdigest())
"""


def journey_map(name: str = "shop") -> JourneyMap:
    return compile_map(name, DEFINITION)


def port(options: PortOptions | None = None, name: str = "shop", **session: object) -> Port:
    built = journey_map(name)
    return Port(built, SessionOptions.read(session, built), options)


def test_journeys_come_first_in_the_order_of_declaration() -> None:
    assert port().tool_names == (
        "shop.journey.zebra",
        "shop.journey.apple",
        "shop.whats_here",
        "shop.why",
        "shop.do_action",
        "shop.did_it_work",
    )


def test_the_single_shape_does_not_grow_with_the_map() -> None:
    single = port(PortOptions(journey_tools="single"))
    assert single.tool_names[0] == "shop.journey"
    assert len(single.tool_names) == 5
    assert single.tools()[0]["inputSchema"].get("required") == ["journey"]


def test_names_that_hosts_do_not_take_are_encoded() -> None:
    assert port(name="my shop").names.whats_here == "_enc_my_u0020shop.whats__here"


def test_a_copy_that_is_spoiled_spoils_nothing() -> None:
    made = port()
    before = made.tool_bytes
    copy = made.tools()
    copy[0]["inputSchema"]["properties"].clear()
    copy.pop()
    assert made.tool_bytes == before
    assert canonical_bytes(made.tools()) == before
    assert canonical_bytes(tool_array(made)) == before


def test_only_the_gate_changes_texts_and_only_two_of_them() -> None:
    plain, gated = port().tools(), port(requireHumanApproval=True).tools()
    changed = {
        (name, key)
        for mine, theirs in zip(plain, gated, strict=True)
        for name in mine["inputSchema"]["properties"]
        for key in ("type", "description")
        if mine["inputSchema"]["properties"][name].get(key)
        != theirs["inputSchema"]["properties"][name].get(key)
    }
    assert changed == {("confirm", "description"), ("decline", "description")}
    person = PortOptions(source="user")
    assert port(person, requireHumanApproval=True).tools() == plain


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_another_process_builds_the_same_bytes(seed: str) -> None:
    root = Path(__file__).parents[2]
    answer = subprocess.run(
        [sys.executable, "-c", DIGEST_IN_ANOTHER_PROCESS],
        cwd=root,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert answer.stdout.strip() == hashlib.sha256(port().tool_bytes).hexdigest()


@pytest.mark.parametrize(
    "wire",
    [
        {"confirmHighEffect": 1},
        {"source": "robot"},
        {"source": None},
        {"journeyTools": "many"},
        {"confirm": True},
    ],
)
def test_options_that_mean_nothing_are_refused_by_name(wire: dict[str, object]) -> None:
    with pytest.raises(PortOptionsError) as caught:
        port_options(wire)
    assert caught.value.option in wire
    assert caught.value.option in str(caught.value)
