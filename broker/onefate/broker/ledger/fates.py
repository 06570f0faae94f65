"""What an id without a record can be: the one place that says which error it is."""

from collections.abc import Sequence
from typing import Final

from onefate.broker.errors import Forgotten, ImpossibleId, NeverExisted, WasStimulus
from onefate.broker.ledger.ids import FireId
from onefate.broker.ledger.link import Reply
from onefate.broker.ledger.store import number, text

_UNFIRED: Final = ("stimulus:", "sync:")


def absent(fire: FireId, reply: Sequence[Reply]) -> ImpossibleId:
    """Give the error for an id of which nothing is kept (id:impossible-raises).

    The reply is `absent, kind, epoch, n` of the session as it stands.
    """
    _, kind, epoch, n = reply
    told = fire.number.epoch <= number(epoch) and fire.number.n < number(n)
    if not told:
        return NeverExisted(str(fire))
    if text(kind) == "map" and fire.action.startswith(_UNFIRED):
        return WasStimulus(str(fire))
    return Forgotten(str(fire))
