"""Guesses of the next row number, so that recording a fire takes one round trip.

A script may only touch declared keys, and a fire's key holds its number; so the recorder says which
number it expects and is told when it is wrong. Guesses of one process follow each other, so calls
in flight together all hit; a miss starts a new series for everybody.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, NamedTuple

from onefate.broker.ledger.ids import Number

_SESSIONS: Final = 10_000


@dataclass(slots=True)
class _Next:
    number: Number
    series: int = 0


class Guess(NamedTuple):
    """One expected number and the series it belongs to."""

    number: Number
    series: int


class Numbers:
    """The next number of the sessions this process records in."""

    def __init__(self) -> None:
        self._next: OrderedDict[str, _Next] = OrderedDict()

    def take(self, session: str, epoch: int) -> Guess:
        """Give the number expected next, and count on it being used."""
        at = self._next.get(session)
        if at is None:
            at = self._next[session] = _Next(Number(epoch, 0))
            if len(self._next) > _SESSIONS:
                self._next.popitem(last=False)
        self._next.move_to_end(session)
        guess = Guess(at.number, at.series)
        at.number = Number(at.number.epoch, at.number.n + 1)
        return guess

    def missed(self, session: str, guess: Guess, stands: Number) -> None:
        """Begin a new series at the number that stands, unless that has been done already."""
        at = self._next.setdefault(session, _Next(stands))
        if at.series == guess.series:
            at.series += 1
            at.number = stands
