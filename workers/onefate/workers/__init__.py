"""What is done: workers that perform fires, and the command line.

Names are loaded when they are first used, so that the command line starts quickly.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onefate.broker.performing import (
        Handler,
        HandlersByAction,
        Running,
        Worker,
        current,
        report,
        report_from_thread,
    )
    from onefate.workers.doors import LedgerDoor

__all__ = [
    "Handler",
    "HandlersByAction",
    "LedgerDoor",
    "Running",
    "Worker",
    "current",
    "report",
    "report_from_thread",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = f"{__name__}.doors" if name == "LedgerDoor" else "onefate.broker.performing"
    return getattr(import_module(home), name)
