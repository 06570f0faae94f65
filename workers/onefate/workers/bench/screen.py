"""How a report is told: a table for a person, JSON for a program."""

import json
from collections.abc import Mapping
from typing import TypedDict

from rich.console import Console
from rich.table import Table

from onefate.workers.bench.figures import FIGURES, Report, Way


class ToldFigure(TypedDict):
    """One figure of the JSON."""

    name: str
    says: str
    value: float
    target: str
    unit: str
    how: Way
    met: bool


class Told(TypedDict):
    """The JSON of a run."""

    met: bool
    figures: list[ToldFigure]
    context: Mapping[str, float]


def told(report: Report) -> Told:
    """Give a report as plain data, in the order of the figures."""
    figures: list[ToldFigure] = [
        {
            "name": each.name,
            "says": each.says,
            "value": round(report.values[each.name], 3),
            "target": each.aim,
            "unit": each.unit,
            "how": each.way,
            "met": each.met(report.values[each.name]),
        }
        for each in FIGURES
    ]
    context = {name: round(value, 2) for name, value in report.context.items()}
    return {"met": all(each["met"] for each in figures), "figures": figures, "context": context}


def as_json(report: Report) -> str:
    """Write a report for a program."""
    return json.dumps(told(report), indent=2, ensure_ascii=False) + "\n"


def show(report: Report) -> None:
    """Write a report for a person."""
    answer = told(report)
    table = Table(title="onefate bench")
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_column("target", justify="right")
    table.add_column("")
    for each in answer["figures"]:
        reached = f"{each['value']:,.2f} {each['unit']}"
        table.add_row(each["says"], reached, each["target"], "met" if each["met"] else "MISSED")
    console = Console()
    console.print(table)
    for name, value in answer["context"].items():
        console.print(f"{name}: {value:,g}", highlight=False)
