"""The times and bounds a link keeps."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPolicy:
    """How long a link waits, how often it asks, and how much it holds; times in seconds.

    `patience` bounds a command's wait for a lost link, `heartbeat` is the pause between two
    questions, `deadline` the time an answer to one, or a whole dial, may take. At most `in_flight`
    commands wait for replies and about `buffered` bytes wait to leave; callers beyond wait.
    """

    patience: float = 10.0
    heartbeat: float = 2.0
    deadline: float = 3.0
    backoff_first: float = 0.02
    backoff_most: float = 0.5
    in_flight: int = 20_000
    buffered: int = 8 << 20
    client_name: str = "onefate"
