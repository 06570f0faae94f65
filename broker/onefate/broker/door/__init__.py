"""A session over a map as programs use it: open, register handlers, report, answer cards, wait."""

from onefate.broker.door.errors import NoSuchSession
from onefate.broker.door.session import Session, attach_session, open_session
from onefate.broker.door.views import PrincipalView
from onefate.broker.door.wiring import Registration

__all__ = [
    "NoSuchSession",
    "PrincipalView",
    "Registration",
    "Session",
    "attach_session",
    "open_session",
]
