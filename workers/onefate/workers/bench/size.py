"""How much a run measures."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Size:
    """The numbers of one run."""

    rounds: int
    """Of lives; each plays every kind of life in turn."""
    lives: int
    """Of each kind in a round."""
    settle_rounds: int
    settles: int
    """In a round, and as many plain `SET NX`."""
    waiters: int
    idle_seconds: float
    history: int
    """Calls behind a session before its late calls are measured."""
    windows: int
    """Of early and late calls, in turn."""
    fires: int
    """Of a ledger whose memory is measured; a port's are a quarter."""
    imports: int


FULL: Final = Size(
    rounds=80, lives=20, settle_rounds=9, settles=4000, waiters=5000, idle_seconds=8.0,
    history=10_000, windows=40, fires=4000, imports=7,
)  # fmt: skip
QUICK: Final = Size(
    rounds=15, lives=20, settle_rounds=5, settles=1500, waiters=5000, idle_seconds=2.2,
    history=1000, windows=15, fires=1500, imports=3,
)  # fmt: skip
