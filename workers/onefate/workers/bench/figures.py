"""Every figure the benchmark gives, as data: its name, what it says, and its target.

`docs/performance.md` shows the same table; a test compares the two.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Relation = Literal["at most", "at least", "below"]
Way = Literal["counted", "measured"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure and what it is held to."""

    name: str
    says: str
    relation: Relation
    target: float
    unit: str
    way: Way = "measured"
    """Counted figures hold on any machine; measured ones are ratios or times of this one."""

    def met(self, value: float) -> bool:
        """Tell whether a value meets the target."""
        match self.relation:
            case "at most":
                return value <= self.target
            case "at least":
                return value >= self.target
            case "below":
                return value < self.target

    @property
    def aim(self) -> str:
        """The target in words."""
        return f"{self.relation} {self.target:,g} {self.unit}"


def _life(kind: str, says: str, median: float, tail: float) -> tuple[Figure, Figure]:
    return (
        Figure(f"{kind}-life-p50", f"{says}, p50 against the floor", "at most", median, "x"),
        Figure(f"{kind}-life-p99", f"{says}, p99 against the floor", "at most", tail, "x"),
    )


FIGURES: Final = (
    *_life("ledger", "a ledger fire's whole life", 1.3, 1.6),
    *_life("port", "the port's whole life, worker on another connection", 2.5, 3.0),
    *_life("port-here", "the port's whole life, handler in its own process", 2.5, 3.0),
    Figure("ledger-commands", "commands for the ledger's whole life",
           "at most", 8, "commands", "counted"),
    Figure("port-commands", "commands for the port's whole life, worker on another connection",
           "at most", 8, "commands", "counted"),
    Figure("port-here-commands", "commands for the port's whole life, handler in its own process",
           "at most", 8, "commands", "counted"),
    Figure("settle-rate", "settlements a second of one process against plain SET NX through "
           "redis-py's pool", "at least", 3, "x"),
    Figure("waiter-connections", "connections of a process with open waiters",
           "at most", 1, "connections", "counted"),
    Figure("waiter-idle", "commands a second while all of them wait",
           "below", 1, "commands/s", "counted"),
    Figure("waiters-woken", "waiters woken of those that waited",
           "at least", 100, "%", "counted"),
    Figure("late-do-action", "a late `do_action` of a session against call number 10",
           "at most", 1.2, "x"),
    Figure("late-whats-here", "a late `whats_here` of a session against call number 10",
           "at most", 1.2, "x"),
    Figure("ledger-open-bytes", "memory of a ledger's open fire, besides payload",
           "at most", 512, "B", "counted"),
    Figure("ledger-settled-bytes", "memory of a ledger's retained settlement, besides payload",
           "at most", 700, "B", "counted"),
    Figure("port-open-bytes", "memory of a port's open fire, besides payload",
           "at most", 512, "B", "counted"),
    Figure("port-settled-bytes", "memory of a port's retained settlement, besides payload",
           "at most", 700, "B", "counted"),
    Figure("import-time", "importing `onefate.port` on top of redis and pydantic",
           "at most", 200, "ms"),
)  # fmt: skip
"""In the order in which they are told."""


@dataclass(frozen=True, slots=True)
class Report:
    """What one run has measured."""

    values: Mapping[str, float]
    """By the figure's name."""
    context: Mapping[str, float]
    """What was measured besides, without a target: times of this machine, sizes of the run."""


def table() -> Sequence[str]:
    """Give the figures as the rows of a table in Markdown."""
    rows = [f"| `{each.name}` | {each.says} | {each.aim} | {each.way} |" for each in FIGURES]
    return ["| figure | what it says | target | how |", "| --- | --- | --- | --- |", *rows]
