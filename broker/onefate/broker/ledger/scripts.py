"""Every script of the ledger under a typed wrapper: its slots are declared here, once, in order.

The header of each file in `lua/` says the same for readers of Lua; a test compares the two. Keys
and arguments are named tuples, so a slot cannot be filled by position alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files
from typing import Final, Generic, NamedTuple, TypeVar

from onefate.broker.ledger.link import Arg, Script

K = TypeVar("K", bound=tuple[str, ...])
A = TypeVar("A", bound="tuple[Arg, ...]")


@dataclass(frozen=True, slots=True)
class Slots(Generic[K, A]):
    """One script and the types of its key and argument slots."""

    script: Script
    keys: type[K]
    args: type[A]


class Call(NamedTuple):
    """One script with its slots filled."""

    script: Script
    keys: Sequence[Arg]
    args: Sequence[Arg]


class RecordKeys(NamedTuple):
    """The keys of `record`."""

    session: str
    open: str
    fire: str
    payload: str
    work: str
    nudge: str
    token: str


class RecordArgs(NamedTuple):
    """The arguments of `record`."""

    topology: str
    least_epoch: int
    epoch: int
    n: int
    order: int
    id: str
    action: str
    principal: str
    by: str
    token: str
    payload: bytes
    queue: str
    repeatable: str
    session_id: str
    digest: str
    retention: int


class SettleKeys(NamedTuple):
    """The keys of `settle`."""

    session: str
    open: str
    fire: str
    payload: str
    settlement: str
    journal: str
    wake: str
    work: str


class SettleArgs(NamedTuple):
    """The arguments of `settle`."""

    session_id: str
    number: str
    id: str
    action: str
    token: str
    by: str
    status: str
    body: bytes
    kept_as: str
    fence: str
    retention: int
    work_entry: str
    longest: int


class ClaimKeys(NamedTuple):
    """The keys of `claim`."""

    fire: str
    payload: str
    settlement: str
    journal: str
    work: str


class ClaimArgs(NamedTuple):
    """The arguments of `claim`."""

    action: str
    worker: str
    claim_token: str
    lease: int
    work_entry: str


class BeatKeys(NamedTuple):
    """The keys of `beat`."""

    fire: str
    work: str


class BeatArgs(NamedTuple):
    """The arguments of `beat`."""

    fence: int
    consumer: str
    work_entry: str


class NoteKeys(NamedTuple):
    """The keys of `note`."""

    session: str
    fire: str
    journal: str


class NoteArgs(NamedTuple):
    """The arguments of `note`."""

    action: str
    token: str
    by: str
    body: bytes


class LookKeys(NamedTuple):
    """The keys of `look`."""

    session: str
    fire: str
    settlement: str


class LifeKeys(NamedTuple):
    """The keys of `life`."""

    session: str
    fire: str
    payload: str
    settlement: str
    journal: str


class NoArgs(NamedTuple):
    """A script without arguments."""


class LoadHead(NamedTuple):
    """The first arguments of `load`."""

    known_revision: int
    topology: str
    least_epoch: int
    kind: str
    map: str
    options: str


class CommitHead(NamedTuple):
    """The first arguments of `commit`."""

    revision: int
    next_revision: int
    token: str
    topology: str
    retention: int
    longest: int
    settlements: int
    fences: int


class RestoreKeys(NamedTuple):
    """The keys of `restore`."""

    session: str
    open: str
    fire: str
    payload: str
    settlement: str
    journal: str
    wake: str
    work: str
    nudge: str


class RestoreHead(NamedTuple):
    """The first arguments of `restore`."""

    id: str
    order: int
    next_n: int
    session_id: str
    number: str
    payload: bytes
    queue: str
    settlement: bytes
    retention: int


def _read(name: str) -> Script:
    return Script(
        name, (files("onefate.broker.ledger") / "lua" / f"{name}.lua").read_text(encoding="utf-8")
    )


RECORD: Final = Slots(_read("record"), RecordKeys, RecordArgs)
SETTLE: Final = Slots(_read("settle"), SettleKeys, SettleArgs)
CLAIM: Final = Slots(_read("claim"), ClaimKeys, ClaimArgs)
BEAT: Final = Slots(_read("beat"), BeatKeys, BeatArgs)
NOTE: Final = Slots(_read("note"), NoteKeys, NoteArgs)
LOOK: Final = Slots(_read("look"), LookKeys, NoArgs)
LIFE: Final = Slots(_read("life"), LifeKeys, NoArgs)
LOAD: Final = _read("load")
COMMIT: Final = _read("commit")
RESTORE: Final = _read("restore")
META: Final = _read("meta")
RETIRE: Final = _read("retire")
END: Final = _read("end")

FIXED: Final = (RECORD, SETTLE, CLAIM, BEAT, NOTE, LOOK, LIFE)
"""The scripts whose slots are all fixed; the others take a list after their head."""

ALL: Final = (*(slots.script for slots in FIXED), LOAD, COMMIT, RESTORE, META, RETIRE, END)

VERSION: Final = sha1(
    "".join(script.sha for script in ALL).encode(), usedforsecurity=False
).hexdigest()[:12]
"""What the namespace record keeps: which scripts wrote this data."""


def call(slots: Slots[K, A], keys: K, args: A) -> Call:
    """Fill the slots of a script."""
    return Call(slots.script, keys, args)
