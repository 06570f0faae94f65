"""Errors of the machine: which rule of a session was broken.

What an id can never have is told by the impossible ids of `onefate.broker.errors`.

BadInput
├── BadOption             a session option that means nothing
├── UnknownNode           a node the map does not have, or not on this page
├── UnknownAction         an action nobody declared
├── UnknownJourney        a journey the map does not have
├── UnknownName           a name that a group did not register
├── NotRepeated           an instance on a node that does not repeat
├── NotAFire              a row that nobody fired: only fires are reported on or rejected
└── NothingToReject       a fire that is neither pending nor committed

Every error pickles: its arguments are its attributes, and its sentence is made from them.
"""

from collections.abc import Iterable

from onefate.broker.errors import BadInput
from onefate.broker.journey.nearest import nearest


class BadOption(BadInput):
    """A session option cannot be accepted; no session was made."""

    code = "BAD_OPTION"

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(option, problem)
        self.option = option
        self.problem = problem

    def __str__(self) -> str:
        return f"The session option {self.option} {self.problem}."


class UnknownNode(BadInput):
    """No such node; nothing was done."""

    code = "UNKNOWN_NODE"

    def __init__(self, node: str, known: Iterable[str]) -> None:
        self.node = node
        self.known = tuple(known)
        super().__init__(node, self.known)

    def __str__(self) -> str:
        meant = nearest(self.node, self.known)
        return f"There is no node {self.node!r} here{meant}; name one of: {', '.join(self.known)}."


class UnknownAction(BadInput):
    """No such action; nothing was done."""

    code = "UNKNOWN_ACTION"

    def __init__(self, action: str, known: Iterable[str] = ()) -> None:
        self.action = action
        self.known = tuple(known)
        super().__init__(action, self.known)

    def __str__(self) -> str:
        meant = nearest(self.action, self.known)
        return f"No action {self.action!r} is declared{meant}; declare it in the map or at mount."


class UnknownJourney(BadInput):
    """No such journey; nothing was done."""

    code = "UNKNOWN_JOURNEY"

    def __init__(self, journey: str, known: Iterable[str] = ()) -> None:
        self.journey = journey
        self.known = tuple(known)
        super().__init__(journey, self.known)

    def __str__(self) -> str:
        return f"The map declares no journey {self.journey!r}{nearest(self.journey, self.known)}."


class UnknownName(BadInput):
    """A group did not register this name; nothing was done."""

    code = "UNKNOWN_NAME"

    def __init__(self, group: str, name: str) -> None:
        super().__init__(group, name)
        self.group = group
        self.name = name

    def __str__(self) -> str:
        return f"The group {self.group!r} registered nothing named {self.name!r}."


class NotRepeated(BadInput):
    """An instance was named on a node that does not repeat; nothing was done."""

    code = "NOT_REPEATED"

    def __init__(self, node: str) -> None:
        super().__init__(node)
        self.node = node

    def __str__(self) -> str:
        return f"The node {self.node!r} does not repeat, so nothing on it takes an instance."


class NotAFire(BadInput):
    """The row was not fired, so it has no fate to move; nothing was done."""

    code = "NOT_A_FIRE"

    def __init__(self, row: str) -> None:
        super().__init__(row)
        self.row = row

    def __str__(self) -> str:
        return f"{self.row!r} is something that happened and was never fired."


class NothingToReject(BadInput):
    """The fire has come to nothing already, or never was; nothing was done."""

    code = "NOTHING_TO_REJECT"

    def __init__(self, row: str) -> None:
        super().__init__(row)
        self.row = row

    def __str__(self) -> str:
        return f"{self.row!r} is neither pending nor committed, so nothing is left to reject."
