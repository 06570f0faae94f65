"""Which private servers nobody uses any more.

Every started server's directory is noted in a private folder of this user; every process with an
open link holds a shared lock on the directory's `users` file. A server is idle when that lock is
free and its file has not been touched for a day.
"""

import fcntl
import hashlib
import os
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

from onefate.broker.ledger.embedded.layout import Layout, private_folder
from onefate.broker.ledger.embedded.locks import open_lock, try_lock

IDLE_SECONDS = 24 * 60 * 60


class Lease:
    """Says that this process uses a server, until it is released or the process ends."""

    def __init__(self, layout: Layout) -> None:
        descriptor = open_lock(layout.users)
        self._close = weakref.finalize(self, os.close, descriptor)
        self._close.atexit = False
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        os.utime(descriptor)

    def release(self) -> None:
        """Stop using the server; a second call does nothing."""
        self._close()


def note(directory: Path) -> None:
    """Remember that a server was started for a directory."""
    name = hashlib.sha256(os.fsencode(directory)).hexdigest()[:16] + ".dir"
    (private_folder() / name).write_bytes(os.fsencode(directory))


def idle_directories(idle_seconds: float = IDLE_SECONDS) -> Iterator[Path]:
    """Yield the noted directories whose server is idle, each locked against new users meanwhile."""
    for entry in sorted(private_folder().glob("*.dir")):
        directory = Path(os.fsdecode(entry.read_bytes()))
        users = directory / "users"
        if not users.is_file():
            if not directory.is_dir():
                entry.unlink(missing_ok=True)
            continue
        descriptor = open_lock(users)
        try:
            old = os.fstat(descriptor).st_mtime < time.time() - idle_seconds
            if old and try_lock(descriptor):
                entry.unlink(missing_ok=True)
                yield directory
        finally:
            os.close(descriptor)
