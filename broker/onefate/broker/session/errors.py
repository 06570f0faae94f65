"""Errors of the machine: which rule of a session was broken, or which fate an id can never have.

BadInput
├── BadOption             a session option that means nothing
├── UnknownNode           a node the map does not have, or not on this page
├── UnknownAction         an action nobody declared
├── UnknownJourney        a journey the map does not have
├── UnknownName           a name that a group did not register
├── NotRepeated           an instance on a node that does not repeat
├── NotAFire              a row that nobody fired: only fires are reported on or rejected
└── NothingToReject       a fire that is neither pending nor committed
ImpossibleId
├── NeverExisted          no row was ever recorded under this id
├── Forgotten             a row existed and its retention is over
├── WasStimulus           the id names a row that nobody fired
├── WasAsk                the id names a card, which is answered and never settled
└── AmbiguousId           the id names both a fire and a card

Every error pickles: its arguments are its attributes, and its sentence is made from them.
"""

from collections.abc import Iterable
from typing import ClassVar

from onefate.broker.errors import BadInput, ImpossibleId


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
        super().__init__(node, tuple(known))
        self.node = node
        self.known = tuple(known)

    def __str__(self) -> str:
        return f"There is no node {self.node!r} here; name one of: {', '.join(self.known)}."


class UnknownAction(BadInput):
    """No such action; nothing was done."""

    code = "UNKNOWN_ACTION"

    def __init__(self, action: str) -> None:
        super().__init__(action)
        self.action = action

    def __str__(self) -> str:
        return f"No action {self.action!r} is declared; declare it in the map or at mount."


class UnknownJourney(BadInput):
    """No such journey; nothing was done."""

    code = "UNKNOWN_JOURNEY"

    def __init__(self, journey: str) -> None:
        super().__init__(journey)
        self.journey = journey

    def __str__(self) -> str:
        return f"The map declares no journey {self.journey!r}."


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


class Impossible(ImpossibleId):
    """The part that all impossible ids share: the id, and the open fires to name instead."""

    sentence: ClassVar[str] = "No settlement can exist for the id {id!r}."

    def __init__(self, fire: str, awaiting: Iterable[str] = ()) -> None:
        super().__init__(fire, tuple(awaiting))
        self.fire = fire
        self.awaiting = tuple(awaiting)

    def __str__(self) -> str:
        open_fires = f" Open: {', '.join(self.awaiting)}." if self.awaiting else ""
        return self.sentence.format(id=self.fire) + open_fires


class NeverExisted(Impossible):
    """No fire was ever recorded under this id in this session (id:impossible-raises)."""

    code = "NEVER_EXISTED"
    sentence = "No fire was ever recorded as {id!r} in this session; use an id a fire was given."


class Forgotten(Impossible):
    """A fire existed under this id, and its retention is over (id:impossible-raises)."""

    code = "FORGOTTEN"
    sentence = "The fire {id!r} is no longer kept; ask within the session's retention."


class WasStimulus(Impossible):
    """The id names something that happened to the app, not a fire (id:impossible-raises)."""

    code = "WAS_STIMULUS"
    sentence = "{id!r} is something that happened and was never fired; only fires settle."


class WasAsk(Impossible):
    """The id names a card, which a person answers; only fires settle (id:impossible-raises)."""

    code = "WAS_ASK"
    sentence = "{id!r} is a card that a person answers; ask about the fire that it allowed."


class AmbiguousId(Impossible):
    """The id names both a fire and a card, so no answer can be given (id:impossible-raises)."""

    code = "AMBIGUOUS_ID"
    sentence = "{id!r} names both a fire and a card, so nothing can be said about it."
