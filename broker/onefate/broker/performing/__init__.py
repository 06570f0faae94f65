"""How fires are performed: one worker, whether in a process of its own or beside a port."""

from onefate.broker.performing.errors import NoHandler, NotInHandler
from onefate.broker.performing.running import Running, current, report, report_from_thread, running
from onefate.broker.performing.worker import (
    Handler,
    Handlers,
    HandlersByAction,
    OutcomeDoor,
    Worker,
    WorkerCounters,
    WorkQueue,
)

__all__ = [
    "Handler",
    "Handlers",
    "HandlersByAction",
    "NoHandler",
    "NotInHandler",
    "OutcomeDoor",
    "Running",
    "WorkQueue",
    "Worker",
    "WorkerCounters",
    "current",
    "report",
    "report_from_thread",
    "running",
]
