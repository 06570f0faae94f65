"""Every error of the distribution descends from one root and carries a stable code.

OnefateError
├── BadInput              the caller broke a rule: fix the call and try again
├── Refused               the store or the configuration says otherwise
├── ImpossibleId          no settlement can ever exist under this id
│   ├── NeverExisted      no fire was ever recorded under it
│   ├── Forgotten         a fire was, and its retention is over
│   ├── WasStimulus       it names a row that nobody fired
│   ├── WasAsk            it names a card, which is answered and never settles
│   └── AmbiguousId       it names both a fire and a card
└── Unavailable           nobody knows yet: the store could not be reached in time

Each package adds its own classes below the first level; those of impossible ids are here because
the machine and the ledger raise the same ones. A sentence names what was wrong and what would be
right; the code is what programs compare, on every surface. Every error pickles: its arguments are
its attributes, and its sentence is made from them.
"""

from collections.abc import Iterable
from typing import ClassVar


class OnefateError(Exception):
    """The root: catching it catches everything this distribution raises on purpose."""

    code: ClassVar[str] = "ONEFATE_ERROR"


class BadInput(OnefateError):  # noqa: N818 - the words of the domain, not of Python
    """The caller's argument cannot be accepted; nothing was done."""

    code = "BAD_INPUT"


class Refused(OnefateError):  # noqa: N818
    """The store or the configuration forbids it; nothing was done."""

    code = "REFUSED"


class ImpossibleId(OnefateError):  # noqa: N818
    """No settlement can exist for this id, now or later (id:impossible-raises).

    Attributes:
        fire_id: what was asked about.
        awaiting: the open fires that could be asked about instead, where they are known.
    """

    code = "IMPOSSIBLE_ID"
    sentence: ClassVar[str] = "No settlement can exist for the id {id!r}."

    def __init__(self, fire_id: str, awaiting: Iterable[str] = ()) -> None:
        self.fire_id = fire_id
        self.awaiting = tuple(awaiting)
        super().__init__(fire_id, self.awaiting)

    def __str__(self) -> str:
        open_fires = f" Open: {', '.join(self.awaiting)}." if self.awaiting else ""
        return self.sentence.format(id=self.fire_id) + open_fires


class NeverExisted(ImpossibleId):
    """No fire was ever recorded under this id in this session (id:impossible-raises)."""

    code = "NEVER_EXISTED"
    sentence = "No fire was ever recorded as {id!r} in this session; use an id a fire was given."


class Forgotten(ImpossibleId):
    """A fire existed under this id, and its retention is over (id:impossible-raises)."""

    code = "FORGOTTEN"
    sentence = "The fire {id!r} existed and is no longer kept; ask within the session's retention."


class WasStimulus(ImpossibleId):
    """The id names something that happened to the app, not a fire (id:impossible-raises)."""

    code = "WAS_STIMULUS"
    sentence = "{id!r} is something that happened and was never fired; only fires settle."


class WasAsk(ImpossibleId):
    """The id names a card, which a person answers; only fires settle (id:impossible-raises)."""

    code = "WAS_ASK"
    sentence = "{id!r} is a card that a person answers; ask about the fire that it lets pass."


class AmbiguousId(ImpossibleId):
    """The id names both a fire and a card, so no answer can be given (id:impossible-raises)."""

    code = "AMBIGUOUS_ID"
    sentence = "{id!r} names both a fire and a card; rename the action so that they differ."


class Unavailable(OnefateError):  # noqa: N818
    """The store could not be reached within the caller's deadline; the outcome is unknown."""

    code = "UNAVAILABLE"
