"""What the layout tests look at: the files of the checkout and the source files of the packages."""

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("broker", "port", "workers")
LUA = ROOT / "broker/onefate/broker/ledger/lua"


@cache
def sources() -> tuple[Path, ...]:
    """Every Python file that is shipped."""
    return tuple(
        sorted(path for root in PACKAGES for path in (ROOT / root / "onefate").rglob("*.py"))
    )


@cache
def repository_files() -> tuple[Path, ...]:
    """Every file that is in the repository or would be with the next commit."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    git = ["git", "-c", "safe.directory=*"]
    command = [*git, "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    names = listing.decode().rstrip("\0").split("\0")
    return tuple(path for name in names if (path := ROOT / name).is_file())


def name(path: Path) -> str:
    """The path as the tests show it."""
    return path.relative_to(ROOT).as_posix()


def program(name: str) -> str:
    """Where a program is, or a skip that names it."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found
