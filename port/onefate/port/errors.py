"""Errors of the port.

BadInput
└── PortOptionsError      an option of a port is not one it has, or not of its kind
"""

from onefate.broker.errors import BadInput


class PortOptionsError(BadInput):
    """An option of a port cannot be accepted; no port was built.

    Attributes:
        option: the wire name of the option.
        problem: what would be right.
    """

    code = "PORT_OPTIONS_INVALID"

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(option, problem)
        self.option = option
        self.problem = problem

    def __str__(self) -> str:
        return f"The port option {self.option} {self.problem}."
