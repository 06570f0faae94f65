"""Errors of fires and sessions: which rule was broken, or what the session's state forbids.

What an id can never have is told by the impossible ids of `onefate.broker.errors`.

BadInput
├── BadName               a name (session, action, principal, author, queue …) that cannot be used
├── NotJson               a value that JSON cannot carry: NaN, sets, bytes, lone surrogates …
├── NotAnOutcome          what a fire is settled with that no function of ours has made
├── TooDeep               a value nested deeper than the limit
└── TooLarge              a value whose JSON is longer than the limit
Refused
├── WrongKind             the session belongs to the other kind of door, or has ended
├── WrongPins             a session opened again over another map or with other options
├── TokenReused           one token for two different fires
├── StillOpen             a session that has open fires cannot be ended
├── StaleFence            a worker whose claim was superseded
└── CheckFailed           the server cannot carry the ledger; `check` names the check

Every error pickles: its arguments are its attributes, and its sentence is made from them.
"""

from onefate.broker.errors import BadInput, Refused


class BadName(BadInput):
    """A name cannot be used; nothing was written."""

    code = "BAD_NAME"

    def __init__(self, what: str, problem: str) -> None:
        super().__init__(what, problem)
        self.what = what
        self.problem = problem

    def __str__(self) -> str:
        return f"The {self.what} {self.problem}."


class NotJson(BadInput):
    """A value has no JSON form; nothing was written."""

    code = "NOT_JSON"

    def __init__(self, what: str, problem: str) -> None:
        super().__init__(what, problem)
        self.what = what
        self.problem = problem

    def __str__(self) -> str:
        return f"The {self.what} must be JSON, but {self.problem}."


class NotAnOutcome(BadInput):
    """A fire can only be settled with an outcome; nothing was written."""

    code = "NOT_AN_OUTCOME"

    def __init__(self, given: str) -> None:
        super().__init__(given)
        self.given = given

    def __str__(self) -> str:
        return (
            "A fire is settled with performed(...), refused(...) or unobservable(...), "
            f"not with a {self.given}."
        )


class TooDeep(BadInput):
    """A value is nested too deeply; nothing was written."""

    code = "TOO_DEEP"

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(what, limit)
        self.what = what
        self.limit = limit

    def __str__(self) -> str:
        return f"The {self.what} may be nested at most {self.limit} levels deep."


class TooLarge(BadInput):
    """A value is too long; nothing was written."""

    code = "TOO_LARGE"

    def __init__(self, what: str, size: int, limit: int) -> None:
        super().__init__(what, size, limit)
        self.what = what
        self.size = size
        self.limit = limit

    def __str__(self) -> str:
        return f"The {self.what} is {self.size} bytes of JSON; at most {self.limit} are kept."


class WrongKind(Refused):
    """The session belongs to the other kind of door; nothing was done."""

    code = "WRONG_KIND"

    def __init__(self, session: str, kind: str) -> None:
        super().__init__(session, kind)
        self.session = session
        self.kind = kind

    def __str__(self) -> str:
        if self.kind == "ended":
            return f"The session {self.session!r} has ended; use a new session id."
        if self.kind == "map":
            return f"The session {self.session!r} runs over a map; act on it through its Session."
        return f"The session {self.session!r} is a plain ledger; act on it through broker.ledger()."


class WrongPins(Refused):
    """The session was created with another map or other options; nothing was done."""

    code = "WRONG_PINS"

    def __init__(self, session: str, pin: str, stored: str, given: str) -> None:
        super().__init__(session, pin, stored, given)
        self.session = session
        self.pin = pin
        self.stored = stored
        self.given = given

    def __str__(self) -> str:
        return (
            f"The session {self.session!r} was not created with the same {self.pin}; "
            f"open it with the {self.pin} it was created with, or use a new session id."
        )


class TokenReused(Refused):
    """The token already names a fire with another action or payload; nothing was done."""

    code = "TOKEN_REUSED"

    def __init__(self, fire_id: str) -> None:
        super().__init__(fire_id)
        self.fire_id = fire_id

    def __str__(self) -> str:
        return (
            f"The token was used for {self.fire_id!r} with another action or payload; "
            "give each different fire a token of its own."
        )


class StillOpen(Refused):
    """The session has open fires, so it cannot end; nothing was done."""

    code = "STILL_OPEN"

    def __init__(self, session: str, fires: int) -> None:
        super().__init__(session, fires)
        self.session = session
        self.fires = fires

    def __str__(self) -> str:
        return f"The session {self.session!r} has {self.fires} open fires; settle them first."


class StaleFence(Refused):
    """The worker's claim was superseded; what it said is kept beside the fire, which stays open."""

    code = "STALE_FENCE"

    def __init__(self, fire_id: str, fence: int) -> None:
        super().__init__(fire_id, fence)
        self.fire_id = fire_id
        self.fence = fence

    def __str__(self) -> str:
        return f"The claim {self.fence} of {self.fire_id!r} is not the current one; claim it again."


class CheckFailed(Refused):
    """The server cannot carry the ledger; `check` is the stable name of what failed."""

    code = "CHECK_FAILED"

    def __init__(self, check: str, sentence: str) -> None:
        super().__init__(check, sentence)
        self.check = check
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence
