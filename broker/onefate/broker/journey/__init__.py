"""The journey map: declared once, compiled to a frozen graph, and asked by everything else."""

from onefate.broker.journey.errors import MapError, UnknownPageError
from onefate.broker.journey.filters import Filter
from onefate.broker.journey.graph import (
    Action,
    Blocked,
    Concurrency,
    Freshness,
    HumanDecides,
    InputContract,
    Journey,
    JourneyMap,
    Node,
    PrincipalPolicy,
    State,
    StateReader,
)

__all__ = [
    "Action",
    "Blocked",
    "Concurrency",
    "Filter",
    "Freshness",
    "HumanDecides",
    "InputContract",
    "Journey",
    "JourneyMap",
    "MapError",
    "Node",
    "PrincipalPolicy",
    "State",
    "StateReader",
    "UnknownPageError",
]
