"""Errors of sessions as doors meet them.

OnefateError
└── Refused
    ├── NoSuchSession   attaching to a session nobody has created: `NO_SUCH_SESSION`
    └── Contradicted    a settlement stands where this session has no fire: `CONTRADICTED`
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


class Contradicted(Refused):
    """A settlement stands under a number that this session would give to another fire.

    It can only come back from a history of the store that this session is not part of.
    """

    code = "CONTRADICTED"

    def __init__(self, session_id: str, fire_id: str) -> None:
        super().__init__(session_id, fire_id)
        self.session_id = session_id
        self.fire_id = fire_id

    def __str__(self) -> str:
        return (
            f"The store holds another settlement where the session {self.session_id!r} would keep "
            f"that of {self.fire_id}; begin a new session."
        )
