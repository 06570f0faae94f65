"""What one process tells the others of a commit, so that they need not load it.

An announcement is a hint. It is taken in only on the very revision it was made on, and whatever is
decided on it commits only if that revision still stands; one that was lost costs a load.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from onefate.broker.ledger.changes import Change

LONGEST: Final = 16 << 10
"""Bytes of a commit that is announced; a larger one is loaded."""
MOST: Final = 16
"""Commits that are kept until the next decision; whoever falls further behind loads."""
_SECTION: Final = b"s"
_ROW: Final = b"r"


@dataclass(frozen=True, slots=True)
class Announced:
    """One commit: what it was made on, what it made, and the JSON that it changed."""

    base: int
    revision: int
    sections: Mapping[str, bytes]
    rows: Mapping[str, bytes]

    @classmethod
    def read(cls, event: bytes) -> Self:
        """Read what `announcement` wrote."""
        head, *words = event.split(b"\n")
        base, revision = map(int, head.split(b" "))
        return cls(base, revision, dict(_of(_SECTION, words)), dict(_of(_ROW, words)))


def announcement(change: Change) -> Sequence[bytes]:
    """Give the event of a commit, where it is worth one: JSON has no line ends of its own."""
    words = [f"{change.revision} {change.revision + 1}".encode()]
    for name, value in change.sections.items():
        words += (_SECTION + name.encode(), value)
    for number, row in change.rows.items():
        words += (_ROW + number.encode(), row.value)
    event = b"\n".join(words)
    return (event,) if change.revision and len(event) <= LONGEST else ()


def _of(kind: bytes, words: Sequence[bytes]) -> Iterator[tuple[str, bytes]]:
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name[:1] == kind:
            yield name[1:].decode(), value
