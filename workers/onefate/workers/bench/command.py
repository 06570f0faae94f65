"""The benchmark's own command line, behind `onefate bench`."""

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Final

import anyio
from cyclopts import App

from onefate.workers.bench.figures import Report
from onefate.workers.bench.growth import growth
from onefate.workers.bench.imports import imports
from onefate.workers.bench.lives import lives
from onefate.workers.bench.memory import memory
from onefate.workers.bench.place import served
from onefate.workers.bench.screen import as_json, show
from onefate.workers.bench.settles import settles
from onefate.workers.bench.size import FULL, QUICK, Size
from onefate.workers.bench.waiters import waiters
from onefate.workers.cli.store import JsonFlag

_PARTS: Final[Mapping[str, Callable[[str, Size], Awaitable[Report]]]] = {
    "memory of fires": memory,
    "whole lives against the floor": lives,
    "rate of settlements": settles,
    "open waiters": waiters,
    "late calls of a session": growth,
}
_LAST: Final = "importing the port"


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark with its own arguments; the exit code is 0 whatever was reached."""
    app = App(
        name="onefate bench", exit_on_error=False, print_error=False, result_action="return_value"
    )
    app.default(bench)
    app(list(arguments))
    return 0


def bench(*, as_json_: JsonFlag = False, quick: bool = False, url: str | None = None) -> None:
    """Measure this machine against the floor, in one run; every figure stands beside its target.

    Args:
        as_json_: Answer in JSON.
        quick: Measure less, in a third of the time.
        url: The server to measure on; without it one is started for this run alone.
    """
    report = measure(url, QUICK if quick else FULL)
    if as_json_:
        sys.stdout.write(as_json(report))
    else:
        show(report)


def measure(url: str | None, size: Size) -> Report:
    """Measure everything, on a server of this run's own unless one is named."""
    reports: list[Report] = []
    with served(url) as where:
        for name, part in _PARTS.items():
            _say(name, len(reports))
            reports.append(anyio.run(partial(part, where, size)))
    _say(_LAST, len(reports))
    return _together([*reports, imports(size)])


def _say(name: str, done: int) -> None:
    """Tell a person who watches what is measured now."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{done + 1} of {len(_PARTS) + 1}: {name}\n")
        sys.stderr.flush()


def _together(reports: Sequence[Report]) -> Report:
    return Report(
        {name: value for each in reports for name, value in each.values.items()},
        {name: value for each in reports for name, value in each.context.items()},
    )
