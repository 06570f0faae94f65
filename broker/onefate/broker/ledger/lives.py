"""The whole life of a fire, put in order from what its keys hold."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from onefate.broker.ledger.codec import (
    fields_of,
    from_json,
    happening_from,
    settlement_from,
    start_from,
)
from onefate.broker.ledger.ids import FireId
from onefate.broker.ledger.link import Reply
from onefate.broker.ledger.models import Happening, JsonObject, Life, Settlement
from onefate.broker.ledger.store import Words, raw, words

_FIRST: Final = ("recorded", "started", "settled")
"""What comes first among things of one millisecond, in this order."""


def life_from(fire: FireId, reply: Words) -> Life:
    """Read the reply of the script `life`."""
    _, flat, payload, stored, journal = reply
    settlement = settlement_from(raw(stored)) if stored else None
    happenings = [
        *_from_fields(fields_of(words(flat))),
        *([] if settlement is None else [_settled(settlement)]),
        *_from_journal(words(journal)),
    ]
    happenings.sort(key=_order)
    body = from_json(raw(payload)) if payload else None
    return Life(str(fire), fire.action, body, settlement, tuple(happenings))


def _from_fields(fields: Mapping[str, str]) -> Iterator[Happening]:
    if "t" in fields:
        detail: JsonObject = {"principal": fields["p"]}
        if "q" in fields:
            detail["queue"] = fields["q"]
        yield Happening(int(fields["t"]), "recorded", fields["b"], detail)
    if "w" in fields:
        start = start_from(fields["w"], fields["c"], fields["h"])
        yield Happening(
            start.at_ms, "started", start.by, {"attempt": start.attempt, "seen": start.seen_ms}
        )


def _order(happening: Happening) -> tuple[int, int, int]:
    attempt = happening.detail.get("attempt")
    return (
        happening.at_ms,
        _FIRST.index(happening.kind) if happening.kind in _FIRST else len(_FIRST),
        attempt if isinstance(attempt, int) else 0,
    )


def _settled(settlement: Settlement) -> Happening:
    detail: JsonObject = {"effectStatus": settlement.status, **settlement.envelope}
    return Happening(settlement.at_ms, "settled", settlement.by, detail)


def _from_journal(journal: Sequence[Reply]) -> Iterator[Happening]:
    for entry, score in zip(journal[::2], journal[1::2], strict=True):
        yield happening_from(raw(entry), float(cast("bytes | float", score)))
