"""How the queue of one session's workers is named: no two sessions ever share one."""

import hashlib
from typing import Final

LONGEST: Final = 64


def queue_name(queue: str, session: str) -> str:
    """Name a session's own queue of this name, the same in every process."""
    name = f"{queue}:{session}"
    if len(name.encode()) <= LONGEST:
        return name
    return f"{queue}:{hashlib.sha256(session.encode()).hexdigest()[:16]}"
