"""The pages that are written from the code say what the code says."""

from pathlib import Path

import pytest

from tests.guarantees import proves
from tests.pages import PAGES, main, stale

pytestmark = proves("store:declared", "answer:absent-not-filled")


def test_every_page_is_current() -> None:
    assert stale() == [], "run 'make docs'"


def test_a_page_that_is_missing_or_says_something_else_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--check"], tmp_path) == 1
    assert main([], tmp_path) == 0
    assert main(["--check"], tmp_path) == 0
    (tmp_path / "life.md").write_text("It lives.\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["--check"], tmp_path) == 1
    assert capsys.readouterr().err == "docs/life.md is not current: run 'make docs'.\n"
    assert {each.name for each in tmp_path.iterdir()} == set(PAGES)
