"""What somebody may have meant by a name that is not there, for the sentences of errors."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_LONGEST: Final = 100
_CLOSE: Final = 0.65


def nearest(name: str, known: Iterable[str]) -> str:
    """` (the nearest is 'take')` if one of the known names is close to this one, else nothing."""
    if len(name) > _LONGEST:
        return ""
    found = get_close_matches(name, known, n=1, cutoff=_CLOSE)
    return f" (the nearest is {found[0]!r})" if found else ""
