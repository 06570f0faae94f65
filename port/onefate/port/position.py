"""Where the session stands, in the keys every answer carries (spec: port-settlement §3)."""

from typing import NotRequired, TypedDict

from onefate.broker.session.draft import Draft
from onefate.broker.session.motion import looking_at


class Position(TypedDict):
    """The page, what is looked at below it, and the version after the call."""

    youAreOn: str
    lookingAt: NotRequired[str]
    version: int


def position(draft: Draft) -> Position:
    """Give the position as the draft stands."""
    found: Position = {
        "youAreOn": draft.position["node"],
        "version": draft.counters["version"],
    }
    focus = looking_at(draft)
    if focus is not None:
        found["lookingAt"] = focus
    return found
