"""Errors of workers and of the command line.

OnefateError
└── BadInput
    ├── BadFile       a file is not what it should be: `BAD_FILE`
    └── BadHandlers   the handlers named on the command line cannot be used: `BAD_HANDLERS`
"""

from onefate.broker.errors import BadInput


class BadFile(BadInput):
    """A file named on the command line cannot be read, or holds something else."""

    code = "BAD_FILE"

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, problem)
        self.path = path
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.path} cannot be used: {self.problem}"


class BadHandlers(BadInput):
    """`module:attribute` does not lead to handlers by action id."""

    code = "BAD_HANDLERS"

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(name, problem)
        self.name = name
        self.problem = problem

    def __str__(self) -> str:
        return f"The handlers {self.name!r} cannot be used: {self.problem}."
