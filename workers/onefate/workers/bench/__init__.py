"""The benchmark: counts and ratios of this machine, each beside its target."""

from onefate.workers.bench.command import main

__all__ = ["main"]
