"""docs/sessions.md shows files, and the files do what the page says."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.guarantees import proves
from tests.layout.tree import ROOT
from tests.servers import embedded_server

pytestmark = proves("answer:three", "approve:spent-once")

EXAMPLES = ROOT / "docs" / "examples"
PAGE = (ROOT / "docs" / "sessions.md").read_text("utf-8")
SHOWN = re.findall(
    r"\[examples/([\w.]+)\]\(examples/\1\):\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)
PRINTING = sorted(path.stem for path in EXAMPLES.glob("*.txt"))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with embedded_server() as server:
        yield server.url


def run(url: str, *command: str) -> str:
    """What a command prints, run as a reader runs it, on a server of the test's."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        command, cwd=EXAMPLES, env={**os.environ, "ONEFATE_URL": url, "PATH": path},
        check=True, capture_output=True, encoding="utf-8", timeout=110,
    )  # fmt: skip
    return done.stdout


def test_every_block_is_a_file_and_every_file_is_shown() -> None:
    assert len(SHOWN) == len(re.findall(r"^```\w+$", PAGE, re.MULTILINE))
    assert dict(SHOWN) == {
        path.name: path.read_text("utf-8") for path in EXAMPLES.iterdir() if path.is_file()
    }


@pytest.mark.parametrize("name", PRINTING)
def test_a_program_prints_what_the_page_says(url: str, name: str) -> None:
    assert run(url, sys.executable, f"{name}.py") == (EXAMPLES / f"{name}.txt").read_text("utf-8")


def test_a_port_and_a_worker_serve_as_processes(url: str) -> None:
    assert run(url, "sh", "serve.sh").endswith("\nperformed\n")


def test_the_unit_test_passes(url: str) -> None:
    if find_spec("fakeredis") is None:
        pytest.skip("fakeredis is not installed")
    told = run(url, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shop.py")
    assert "1 passed" in told
