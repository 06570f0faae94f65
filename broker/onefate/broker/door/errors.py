"""Errors of opening a session.

OnefateError
└── Refused
    └── NoSuchSession   attaching to a session nobody has created: `NO_SUCH_SESSION`
"""

from onefate.broker.errors import Refused


class NoSuchSession(Refused):
    """Nobody has created a session under this id."""

    code = "NO_SUCH_SESSION"

    def __init__(self, session_id: str) -> None:
        super().__init__(session_id)
        self.session_id = session_id

    def __str__(self) -> str:
        return f"There is no session {self.session_id!r}; open it with its options first."
