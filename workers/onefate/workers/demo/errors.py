"""What can go wrong while the demo plays.

OnefateError
└── Unavailable
    ├── MemberFailed      a process of the demo ended, or was not ready in time: `DEMO_PROCESS`
    └── TurnTimedOut      an answer did not come in time: `DEMO_TIMEOUT`
"""

from onefate.broker.errors import Unavailable


class MemberFailed(Unavailable):
    """A process of the demo did not come up."""

    code = "DEMO_PROCESS"

    def __init__(self, name: str, said: str) -> None:
        super().__init__(name, said)
        self.name = name
        self.said = said

    def __str__(self) -> str:
        return f"The process {self.name} did not become ready; it said: {self.said or 'nothing'}."


class TurnTimedOut(Unavailable):
    """An answer did not come within the demo's patience; the fire itself has no deadline."""

    code = "DEMO_TIMEOUT"

    def __init__(self, says: str, seconds: float) -> None:
        super().__init__(says, seconds)
        self.says = says
        self.seconds = seconds

    def __str__(self) -> str:
        return f"There was no answer within {self.seconds:g} s to the turn {self.says!r}."
