"""What is true: the journey map, the session and the settlement ledger on Redis.

A ledger alone: `open_broker`, `broker.ledger(id)`, `performed`, `refused`. A session over a map:
`compile_map`, `open_session`. Names are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from onefate.broker.door import (
        NoSuchSession,
        PrincipalView,
        Registration,
        Session,
        attach_session,
        open_session,
    )
    from onefate.broker.errors import (
        BadInput,
        ImpossibleId,
        OnefateError,
        Refused,
        Unavailable,
    )
    from onefate.broker.journey import JourneyMap, MapError, compile_map
    from onefate.broker.ledger.blocking import (
        BlockingBroker,
        BlockingLedger,
        BlockingQueue,
        open_blocking_broker,
    )
    from onefate.broker.ledger.broker import Broker, open_broker
    from onefate.broker.ledger.changes import Entry
    from onefate.broker.ledger.claims import Claim, NotClaimed
    from onefate.broker.ledger.ledger import Ledger
    from onefate.broker.ledger.models import (
        Fire,
        Happening,
        Json,
        JsonObject,
        Kept,
        Life,
        Outcome,
        Settled,
        Settlement,
        Start,
        performed,
        refused,
        unobservable,
    )
    from onefate.broker.ledger.settings import BrokerSettings, Durability
    from onefate.broker.ledger.work import Queue
    from onefate.broker.performing import report, report_from_thread
    from onefate.broker.session.attempt import FireOptions

__all__ = [
    "BadInput",
    "BlockingBroker",
    "BlockingLedger",
    "BlockingQueue",
    "Broker",
    "BrokerSettings",
    "Claim",
    "Durability",
    "Entry",
    "Fire",
    "FireOptions",
    "Happening",
    "ImpossibleId",
    "JourneyMap",
    "Json",
    "JsonObject",
    "Kept",
    "Ledger",
    "Life",
    "MapError",
    "NoSuchSession",
    "NotClaimed",
    "OnefateError",
    "Outcome",
    "PrincipalView",
    "Queue",
    "Refused",
    "Registration",
    "Session",
    "Settled",
    "Settlement",
    "Start",
    "Unavailable",
    "attach_session",
    "compile_map",
    "open_blocking_broker",
    "open_broker",
    "open_session",
    "performed",
    "refused",
    "report",
    "report_from_thread",
    "unobservable",
]

_HOMES: Final = {
    "door": ("NoSuchSession", "PrincipalView", "Registration", "Session", "attach_session",
             "open_session"),
    "errors": ("BadInput", "ImpossibleId", "OnefateError", "Refused", "Unavailable"),
    "journey": ("JourneyMap", "MapError", "compile_map"),
    "ledger.blocking": ("BlockingBroker", "BlockingLedger", "BlockingQueue",
                        "open_blocking_broker"),
    "ledger.broker": ("Broker", "open_broker"),
    "ledger.changes": ("Entry",),
    "ledger.claims": ("Claim", "NotClaimed"),
    "ledger.ledger": ("Ledger",),
    "ledger.models": ("Fire", "Happening", "Json", "JsonObject", "Kept", "Life", "Outcome",
                      "Settled", "Settlement", "Start", "performed", "refused", "unobservable"),
    "ledger.settings": ("BrokerSettings", "Durability"),
    "ledger.work": ("Queue",),
    "performing": ("report", "report_from_thread"),
    "session.attempt": ("FireOptions",),
}  # fmt: skip
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = found
    return found
