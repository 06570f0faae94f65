"""Bounded ledgers of numbered rows: the oldest is dropped, and its number still tells that it was.

Shared by offers and acknowledgements (spec: graph-session §10.1, §10.4).
"""

from typing import Literal, NotRequired, TypeAlias, TypedDict

from onefate.broker.session.draft import LONGEST_NUMBER

Standing: TypeAlias = Literal["retained", "evicted", "unknown"]


class Retention(TypedDict):
    """How many rows were written, how many of them were dropped, and which are kept."""

    minted: int
    dropped: int
    firstRetained: NotRequired[str]
    lastRetained: NotRequired[str]


def number_in(prefix: str, name: str) -> int | None:
    """Give the number of `prefix#number`; None for anything else."""
    start, _, digits = name.partition("#")
    plain = len(digits) <= LONGEST_NUMBER and digits.isascii() and digits.isdecimal()
    number = int(digits) if start == prefix and plain else 0
    return number if number > 0 and str(number) == digits else None


def first_kept(following: int, most: int) -> int:
    """Give the number of the oldest row that is kept; `following` is the next to be written."""
    return max(1, following - most)


def standing(prefix: str, name: str, following: int, most: int) -> Standing:
    """Say whether the row of this name is kept, was dropped, or never was."""
    n = number_in(prefix, name)
    if n is None or n >= following:
        return "unknown"
    return "retained" if n >= first_kept(following, most) else "evicted"


def retention(prefix: str, following: int, most: int) -> Retention:
    """Give the numbers behind a ledger."""
    first, minted = first_kept(following, most), following - 1
    found = Retention(minted=minted, dropped=first - 1)
    if minted:
        found["firstRetained"] = f"{prefix}#{first}"
        found["lastRetained"] = f"{prefix}#{minted}"
    return found
