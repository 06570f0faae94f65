"""What the README tells a reader to type does what it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.layout.tree import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def run(*arguments: str, state: Path) -> str:
    """What one Python process prints; no server's address reaches it."""
    environment = {name: value for name, value in os.environ.items() if name != "ONEFATE_URL"}
    environment["ONEFATE_STATE_DIR"] = str(state)
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, env=environment, check=True, capture_output=True, encoding="utf-8", timeout=60
    )
    return done.stdout


def test_the_first_settled_call(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    try:
        won, settlement = run("-c", example, state=tmp_path).splitlines()
    finally:
        run("-m", "onefate.workers", "stop", state=tmp_path)
    assert won == "True False"
    assert "41" in settlement
    assert "card expired" not in settlement


def test_its_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    pages = README + (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    targets = set(re.findall(r"(?:^|`)make ([a-z]+)", pages, re.MULTILINE))
    assert targets <= set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))


def test_its_links_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    broken = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []
