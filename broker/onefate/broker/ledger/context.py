"""What the doors of one broker share."""

from dataclasses import dataclass

from onefate.broker.ledger.hub import Hub
from onefate.broker.ledger.nudges import Nudges
from onefate.broker.ledger.numbers import Numbers
from onefate.broker.ledger.reassert import Reassertion
from onefate.broker.ledger.store import Store


@dataclass(frozen=True, slots=True)
class Context:
    """One store, its waiters and what this process remembers of it."""

    store: Store
    hub: Hub
    numbers: Numbers
    nudges: Nudges
    reassertion: Reassertion
