"""Order statistics of what was measured."""

from collections.abc import Sequence


def quantile(values: Sequence[float], share: float) -> float:
    """Give the value below which this share of the values lies."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def median(values: Sequence[float]) -> float:
    """Give the middle value."""
    return quantile(values, 0.5)
