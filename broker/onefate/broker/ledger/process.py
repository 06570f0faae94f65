"""Which process this is, known without asking the system at every command.

A fork is told so by Python before any code runs in it.
"""

import os
import sys
from typing import Final


class Process:
    """The process that runs this code."""

    __slots__ = ("id",)

    def __init__(self) -> None:
        self.id = os.getpid()

    def forked(self) -> None:
        """Learn the id of the fork that this process now is."""
        self.id = os.getpid()


HERE: Final = Process()

if sys.platform != "win32":
    os.register_at_fork(after_in_child=HERE.forked)
