"""Keys that nothing reads are found, and what is an author's own is left alone."""

from onefate.broker.journey.unread import Unread, unread_keys
from tests.guarantees import proves

pytestmark = proves("store:honest")


def test_keys_are_found_at_every_depth() -> None:
    box: dict[str, object] = {"modals": {"box": {"blocks": True, "guard": {}}}}
    found = unread_keys({"pages": {"desk": {"areas": {"rows": box}}}, "version": 2})
    assert found == (
        Unread((), "version"),
        Unread(("pages", "desk", "areas", "rows", "modals", "box"), "guard"),
    )


def test_the_insides_of_schemas_bindings_and_conditions_are_their_authors_own() -> None:
    act: dict[str, object] = {
        "does": "Act",
        "input": {"type": "object", "mine": {"properties": {}}},
        "binding": {"kind": "button", "selector": "#act"},
        "when": {"open": {"eq": True}},
    }
    journeys = {"go": {"does": "Go", "steps": ["act"]}}
    assert unread_keys({"pages": {"desk": {"actions": {"act": act}}}, "journeys": journeys}) == ()
