"""What is done: workers that perform fires, and the command line.

Names are loaded when they are first used, so that the command line starts quickly.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onefate.workers.doors import LedgerDoor
    from onefate.workers.running import Running, current, report, report_from_thread
    from onefate.workers.worker import Handler, OutcomeDoor, Worker, WorkerCounters, WorkQueue

__all__ = [
    "Handler",
    "LedgerDoor",
    "OutcomeDoor",
    "Running",
    "WorkQueue",
    "Worker",
    "WorkerCounters",
    "current",
    "report",
    "report_from_thread",
]

_HOMES = {
    "doors": ("LedgerDoor",),
    "running": ("Running", "current", "report", "report_from_thread"),
    "worker": ("Handler", "OutcomeDoor", "WorkQueue", "Worker", "WorkerCounters"),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
