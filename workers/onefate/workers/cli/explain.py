"""`onefate explain`: the whole life of one fire, with authors."""

import json
import sys
from datetime import UTC, datetime
from typing import TypeAlias

from onefate.broker.ledger.broker import open_broker
from onefate.broker.ledger.models import Happening, Json, Life
from onefate.workers.cli.store import DEFAULT_STORE, JsonFlag, StoreFlags

Told: TypeAlias = dict[str, object]


async def explain(
    session: str, fire_id: str, /, *, store: StoreFlags = DEFAULT_STORE, as_json: JsonFlag = False
) -> None:
    """Tell the whole life of one fire: who recorded, started and settled it, and what came later.

    Args:
        session: The session's id.
        fire_id: The transition id, for example `checkout.pay#4`.
        store: Where it is kept.
        as_json: Answer in JSON.
    """
    async with open_broker(store.settings()) as broker:
        life = await broker.ledger(session).explain(fire_id)
    sys.stdout.write(_json(life) if as_json else _text(life))


def _text(life: Life) -> str:
    fate = "open" if life.settlement is None else life.settlement.status
    lines = [f"{life.id}  {fate}", *(_line(happening) for happening in life.happenings)]
    return "\n".join(lines) + "\n"


def _line(happening: Happening) -> str:
    return (
        f"{_moment(happening.at_ms)}  {happening.kind:<9} {happening.by:<16} "
        f"{_compact(happening.detail)}"
    ).rstrip()


def _json(life: Life) -> str:
    told: Told = {"id": life.id, "action": life.action}
    if life.payload is not None:
        told["payload"] = life.payload
    if life.settlement is not None:
        told["effectStatus"] = life.settlement.status
    told["happenings"] = [
        {"at": each.at_ms, "kind": each.kind, "by": each.by, "detail": each.detail}
        for each in life.happenings
    ]
    return json.dumps(told, indent=2) + "\n"


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")


def _compact(detail: Json) -> str:
    return json.dumps(detail, separators=(",", ":")) if detail else ""
