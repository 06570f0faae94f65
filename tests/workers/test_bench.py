"""The benchmark: one short run gives every figure, and what is counted meets its target."""

import io
import json
import sys
from pathlib import Path
from subprocess import run
from typing import cast

import pytest

from onefate.workers.bench import command
from onefate.workers.bench.figures import FIGURES, Figure, Relation, Report, table
from onefate.workers.bench.order import median, quantile
from onefate.workers.bench.screen import Told, show
from onefate.workers.bench.size import QUICK, Size
from tests.guarantees import proves

pytestmark = proves("wait:no-lost-wakeup", "settle:first-wins")

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
COUNTED = [figure.name for figure in FIGURES if figure.way == "counted"]
REACHED = "## What was reached"


@pytest.fixture(scope="module")
def told() -> Told:
    arguments = [sys.executable, "-m", "onefate.workers", "bench", "--quick", "--json"]
    ran = run(arguments, check=True, capture_output=True, encoding="utf-8", timeout=110)
    return cast("Told", json.loads(ran.stdout))


def test_every_figure_is_told_with_its_target(told: Told) -> None:
    assert [each["name"] for each in told["figures"]] == [figure.name for figure in FIGURES]
    for each, figure in zip(told["figures"], FIGURES, strict=True):
        assert each["value"] > 0
        assert each["target"] == figure.aim
        assert each["met"] is figure.met(each["value"])
    assert told["met"] is all(each["met"] for each in told["figures"])
    assert all(value > 0 for value in told["context"].values())


@pytest.mark.parametrize("name", COUNTED)
def test_what_is_counted_meets_its_target(told: Told, name: str) -> None:
    found = next(each for each in told["figures"] if each["name"] == name)
    assert found["met"], f"{found['value']:g}, target: {found['target']}"


def test_the_page_shows_the_table_of_the_figures() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert "\n".join(table()) in page


def test_the_page_says_of_every_figure_what_was_reached() -> None:
    reached = PAGE.read_text(encoding="utf-8").split(REACHED)[1]
    names = [line.split("`")[1] for line in reached.splitlines() if line.startswith("| `")]
    assert names == [figure.name for figure in FIGURES]


@pytest.mark.parametrize(
    ("relation", "met"),
    [("at most", (True, True, False)), ("at least", (False, True, True)),
     ("below", (True, False, False))],
)  # fmt: skip
def test_a_figure_is_held_to_its_relation(relation: Relation, met: tuple[bool, ...]) -> None:
    figure = Figure("f", "f", relation, 2.0, "x")
    assert tuple(figure.met(value) for value in (1.0, 2.0, 3.0)) == met
    assert figure.aim == f"{relation} 2 x"


def test_a_person_reads_every_figure_and_which_were_missed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    missed = FIGURES[0]
    values = {figure.name: figure.target for figure in FIGURES}
    values |= {missed.name: 2 * missed.target, "waiter-idle": 0.5}
    show(Report(values, {"open waiters": 5000}))
    shown = capsys.readouterr().out
    assert shown.count("met") == len(FIGURES) - 1
    assert shown.count("MISSED") == 1
    assert all(figure.aim in shown for figure in FIGURES)
    assert "open waiters: 5,000" in shown


class Watched(io.StringIO):
    """What a terminal shows."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("screen", "lines"), [(Watched(), 3), (io.StringIO(), 0)])
def test_a_person_who_watches_is_told_what_is_measured(
    screen: io.StringIO, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def part(url: str, _: Size) -> Report:
        return Report({url: 1.0}, {})

    def last(_: Size) -> Report:
        return Report({"last": 2.0}, {})

    monkeypatch.setattr(command, "_PARTS", {"one": part, "two": part})
    monkeypatch.setattr(command, "imports", last)
    monkeypatch.setattr(sys, "stderr", screen)
    assert command.measure("memory://", QUICK).values == {"memory://": 1.0, "last": 2.0}
    told = ["1 of 3: one", "2 of 3: two", "3 of 3: importing the port"]
    assert screen.getvalue().splitlines() == told[:lines]


def test_quantiles_are_values_that_were_measured() -> None:
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert quantile([float(n) for n in range(100)], 0.99) == 99.0
    assert quantile([5.0], 1.0) == 5.0
