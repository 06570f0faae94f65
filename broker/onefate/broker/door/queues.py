"""How the queue of one session's workers is named: no two sessions ever share one."""

import hashlib


def queue_name(queue: str, session: str) -> str:
    """Name a session's own queue of this name, the same in every process.

    The session stands in it by a digest of fixed length, so whatever names hold, two names are the
    same only if queue and session are.
    """
    return f"{queue}:{hashlib.sha256(session.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
