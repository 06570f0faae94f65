"""What is true: the settlement ledger on Redis, its doors and its words."""

from onefate.broker.ledger.blocking import (
    BlockingBroker,
    BlockingLedger,
    BlockingQueue,
    open_blocking_broker,
)
from onefate.broker.ledger.broker import Broker, open_broker
from onefate.broker.ledger.changes import (
    Change,
    Committed,
    Conflict,
    Entry,
    Loaded,
    NewFire,
    NewSettlement,
    Pins,
    Row,
    Wanted,
)
from onefate.broker.ledger.claims import Claim, NotClaimed
from onefate.broker.ledger.ledger import Ledger
from onefate.broker.ledger.models import (
    EffectStatus,
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
from onefate.broker.ledger.sessions import MapSession
from onefate.broker.ledger.settings import BrokerSettings, Durability
from onefate.broker.ledger.work import Queue

__all__ = [
    "BlockingBroker",
    "BlockingLedger",
    "BlockingQueue",
    "Broker",
    "BrokerSettings",
    "Change",
    "Claim",
    "Committed",
    "Conflict",
    "Durability",
    "EffectStatus",
    "Entry",
    "Fire",
    "Happening",
    "Json",
    "JsonObject",
    "Kept",
    "Ledger",
    "Life",
    "Loaded",
    "MapSession",
    "NewFire",
    "NewSettlement",
    "NotClaimed",
    "Outcome",
    "Pins",
    "Queue",
    "Row",
    "Settled",
    "Settlement",
    "Start",
    "Wanted",
    "open_blocking_broker",
    "open_broker",
    "performed",
    "refused",
    "unobservable",
]
