"""Prints the tool arrays of a few ports, each as text, in one line of JSON.

It needs nothing but the package, so that any interpreter with its dependencies can run it.
"""

import json
import sys
from collections.abc import Mapping

from onefate.broker.journey import compile_map
from onefate.broker.session.options import SessionOptions
from onefate.port import Port, port_options

DEFINITION: Mapping[str, object] = {
    "pages": {
        "böard": {
            "actions": {
                "pay": {"does": "Pay “now”", "confirm": True, "writes": ["paid"]},
                "go": {"does": "Go", "goTo": "next"},
            }
        },
        "next": {"actions": {"back": {"does": "Back", "goTo": "böard"}}},
    },
    "journeys": {
        "zebra": {"does": "Über\nall \U0001f993", "steps": ["pay"]},
        "a b": {"does": "An /odd/ name", "steps": ["go", "back"]},
        "last": {"does": "Last", "steps": ["back"]},
    },
}
WAYS: Mapping[str, tuple[Mapping[str, object], Mapping[str, object]]] = {
    "plain": ({}, {}),
    "gated": ({"requireHumanApproval": True}, {}),
    "single": ({"state": {"paid": False}}, {"journeyTools": "single"}),
    "person": ({"requireHumanApproval": True}, {"source": "user", "confirmHighEffect": False}),
}


def arrays() -> dict[str, str]:
    """Each port's tool bytes as text, by the name of the way it was built."""
    found: dict[str, str] = {}
    for name, (session, port) in WAYS.items():
        journey_map = compile_map("my shop", DEFINITION)
        options = SessionOptions.read(session, journey_map)
        found[name] = Port(journey_map, options, port_options(port)).tool_bytes.decode()
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(arrays()))
