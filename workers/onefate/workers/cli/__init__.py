"""The command line `onefate`: composes broker, port and workers."""

from onefate.workers.cli.entry import main

__all__ = ["main"]
