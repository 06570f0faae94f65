"""Every error of the distribution descends from one root and carries a stable code.

OnefateError
├── BadInput              the caller broke a rule: fix the call and try again
├── Refused               the store or the configuration says otherwise
├── ImpossibleId          no settlement can ever exist under this id (ledger/errors.py names which way)
└── Unavailable           nobody knows yet: the store could not be reached in time

Each package adds its own classes below these four. A sentence names what was wrong and what would
be right; the code is what programs compare, on every surface.
"""

from typing import ClassVar


class OnefateError(Exception):
    """The root: catching it catches everything this distribution raises on purpose."""

    code: ClassVar[str] = "ONEFATE_ERROR"


class BadInput(OnefateError):  # noqa: N818 - the words of the domain, not of Python
    """The caller's argument cannot be accepted; nothing was done."""

    code = "BAD_INPUT"


class Refused(OnefateError):  # noqa: N818
    """The store or the configuration forbids it; nothing was done."""

    code = "REFUSED"


class ImpossibleId(OnefateError):  # noqa: N818
    """No settlement can exist for this id, now or later (id:impossible-raises)."""

    code = "IMPOSSIBLE_ID"


class Unavailable(OnefateError):  # noqa: N818
    """The store could not be reached within the caller's deadline; the outcome is unknown."""

    code = "UNAVAILABLE"
