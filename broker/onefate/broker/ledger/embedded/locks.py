"""Locks that end with their holder, however that ends (flock)."""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from onefate.broker.ledger.errors import EmbeddedRefused

_PAUSE = 0.01


def open_lock(path: Path) -> int:
    """Return a descriptor of a lock file, made when it is new.

    Raises:
        EmbeddedRefused: it cannot be made or opened.
    """
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as cause:
        raise EmbeddedRefused(
            f"the lock {path} cannot be used ({cause.strerror}); "
            "name another state directory in ONEFATE_STATE_DIR"
        ) from cause


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Take a lock without waiting and say whether it was free."""
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_held(path: Path) -> bool:
    """Say whether anybody holds a lock now."""
    descriptor = open_lock(path)
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def holding(path: Path, patience: float) -> Generator[None]:
    """Hold a lock for a block.

    Raises:
        EmbeddedRefused: somebody else held it for the whole patience.
    """
    descriptor = open_lock(path)
    try:
        until = time.monotonic() + patience
        while not try_lock(descriptor):
            if time.monotonic() > until:
                raise EmbeddedRefused(f"another process has held {path} for {patience:g} s")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)
