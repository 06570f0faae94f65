"""`onefate bench`: everything after the word goes to the benchmark."""

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Protocol, cast

from cyclopts import Parameter


class Benchmark(Protocol):
    """What `onefate.workers.bench` is to the command line."""

    def main(self, arguments: Sequence[str]) -> int:
        """Run the benchmark with its own arguments; give the exit code."""
        ...


def bench(*arguments: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> int:
    """Measure this machine against the floor, in one run.

    Args:
        arguments: --quick measures less, --json answers in JSON, --url URL names another server.
    """
    return cast("Benchmark", import_module("onefate.workers.bench")).main(arguments)
