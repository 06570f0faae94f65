"""The link to the store: one interface, its words and its errors."""

from onefate.broker.ledger.errors import (
    LinkClosed,
    NotSent,
    OutcomeUnknown,
    ServerRefused,
    WrongLoop,
    WrongProcess,
)
from onefate.broker.ledger.link.protocol import (
    Arg,
    Link,
    LinkCounters,
    PushListener,
    Reply,
    Script,
    UpListener,
)

__all__ = [
    "Arg",
    "Link",
    "LinkClosed",
    "LinkCounters",
    "NotSent",
    "OutcomeUnknown",
    "PushListener",
    "Reply",
    "Script",
    "ServerRefused",
    "UpListener",
    "WrongLoop",
    "WrongProcess",
]
