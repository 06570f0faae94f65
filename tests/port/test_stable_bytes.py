"""The tool array is the same bytes in every process, under every hash seed, on every Python.

The other interpreter is tried where one is found; its dependencies are installed into a venv of its
own, which only `CI` asks for.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

import pytest

from tests.guarantees import proves
from tests.port.stable import arrays

pytestmark = [proves("tools:bytes-stable"), pytest.mark.timeout(300)]

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = (".", "broker", "port", "workers")
OTHERS: Final = ("3.13", "3.12", "3.11")
FIRST_RELEASE: Final = {
    "plain": "56a1f09ce96bace3d77045b662ef2e3f114bbafa819dfde854a1cb86d6a275cf",
    "gated": "d063fcfe66f9ce3c347c6e8d785c1bf430624de8678ba1a45731c55badb937cb",
    "single": "48d82693cc4f108bfb513a64090c85bab55821937306a89ac3698406919b747d",
    "person": "56a1f09ce96bace3d77045b662ef2e3f114bbafa819dfde854a1cb86d6a275cf",
}
"""What sessions that are alive were told. Changing it changes their tools under their feet."""


def told_by(python: str, seed: str, *, apart: bool = False) -> dict[str, str]:
    """The arrays as a process of this interpreter makes them; `apart` gives it our sources."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment |= {"PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"}
    if apart:
        environment["PYTHONPATH"] = os.pathsep.join(str(ROOT / source) for source in SOURCES)
    done = subprocess.run(
        [python, "-m", "tests.port.stable"],
        cwd=ROOT, env=environment, check=True, capture_output=True, encoding="utf-8", timeout=120,
    )  # fmt: skip
    return cast("dict[str, str]", json.loads(done.stdout))


def interpreters() -> Iterator[str]:
    """Other Pythons on PATH, and those that pyenv keeps."""
    for version in OTHERS:
        if sys.version.startswith(f"{version}."):
            continue
        kept = Path.home() / ".pyenv" / "versions"
        found = shutil.which(f"python{version}")
        yield from [found] if found else []
        yield from sorted(str(path) for path in kept.glob(f"{version}.*/bin/python"))


def another() -> str:
    """The first that can make an environment; skips where there is none."""
    for python in interpreters():
        checked = subprocess.run(
            [python, "-c", "import ensurepip, venv"], check=False, capture_output=True
        )
        if checked.returncode == 0:
            return python
    pytest.skip(f"no other Python here: none of {', '.join(OTHERS)} on PATH or kept by pyenv")


@pytest.mark.parametrize("seed", ["0", "1", "4294967295", "random"])
def test_every_process_and_hash_seed_makes_the_same_bytes(seed: str) -> None:
    assert told_by(sys.executable, seed) == arrays()


def test_building_a_port_again_makes_the_same_bytes() -> None:
    assert [arrays() for _ in range(3)] == [arrays()] * 3


def test_the_bytes_are_ascii_and_in_one_spelling() -> None:
    for array in arrays().values():
        assert array.isascii()
        assert json.dumps(json.loads(array), separators=(",", ":")) == array


def test_a_new_release_leaves_the_tools_of_living_sessions_alone() -> None:
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in arrays().items()}
    assert digests == FIRST_RELEASE


def test_another_python_makes_the_same_bytes(tmp_path: Path) -> None:
    python = another()
    if not os.environ.get("CI"):
        pytest.skip(f"{python} is tried in CI only: its dependencies would have to be installed")
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], check=True)
    own = str(tmp_path / "venv" / "bin" / "python")
    install = [
        own,
        "-m",
        "pip",
        "install",
        "-qq",
        "--require-hashes",
        "-r",
        "requirements/base.txt",
    ]
    subprocess.run(install, cwd=ROOT, check=True)
    assert told_by(own, "random", apart=True) == arrays()
