"""docs/departures.md and the tests of departures name the same twenty-one."""

import re
from collections import defaultdict
from pathlib import Path

from tests.guarantees import proves

pytestmark = proves("answer:one-truth")

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "departures.md").read_text("utf-8")
ITEMS = range(1, 22)


def covered() -> dict[int, set[str]]:
    """Which files have tests of which departure, by the number in their names."""
    found: dict[int, set[str]] = defaultdict(set)
    for path in HERE.glob("test_departures_*.py"):
        for digits in re.findall(r"^def test_(\d\d)_", path.read_text("utf-8"), re.MULTILINE):
            found[int(digits)].add(path.name)
    return dict(found)


def told() -> dict[int, set[str]]:
    """Which files the page names for which departure."""
    parts = re.split(r"^## (\d+)\. .*$", PAGE, flags=re.MULTILINE)[1:]
    return {
        int(digits): set(re.findall(r"\[(test_departures_\w+\.py)\]", part))
        for digits, part in zip(parts[::2], parts[1::2], strict=True)
    }


def test_the_page_and_the_tests_name_the_same_departures() -> None:
    assert sorted(covered()) == list(ITEMS)
    assert told() == covered()


def test_each_says_what_the_reference_does_what_we_do_and_why() -> None:
    parts = re.split(r"^## \d+\. .*$", PAGE, flags=re.MULTILINE)[1:]
    for part in parts:
        labels = re.findall(r"^- (the reference|onefate|why|tests): \S", part, re.MULTILINE)
        assert labels == ["the reference", "onefate", "why", "tests"]


def test_they_stand_in_order() -> None:
    assert [int(found) for found in re.findall(r"^## (\d+)\.", PAGE, re.MULTILINE)] == list(ITEMS)
