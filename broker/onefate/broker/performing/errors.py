"""Errors around handlers.

OnefateError
└── BadInput
    ├── NotInHandler      what only a running handler may ask: `NOT_IN_HANDLER`
    ├── NoHandler         what a fire was wired to is not here any more: `NO_HANDLER`
    └── HandlerCancelled  a handler awaited what was cancelled: `HANDLER_CANCELLED`
"""

from onefate.broker.errors import BadInput


class NotInHandler(BadInput):
    """No handler is running here, so there is no fire to speak for."""

    code = "NOT_IN_HANDLER"

    def __str__(self) -> str:
        return "No handler is running here; only a handler can report as its fire."


class NoHandler(BadInput):
    """The handler a fire was wired to has been unregistered since."""

    code = "NO_HANDLER"

    def __init__(self, fire_id: str) -> None:
        super().__init__(fire_id)
        self.fire_id = fire_id

    def __str__(self) -> str:
        fire = self.fire_id
        return f"The handler of {fire} is not registered any more; register it, then fire again."


class HandlerCancelled(BadInput):
    """The handler ended by a cancellation of its own making; its fire is refused."""

    code = "HANDLER_CANCELLED"

    def __str__(self) -> str:
        return "The handler awaited something that was cancelled, and did not catch it."
