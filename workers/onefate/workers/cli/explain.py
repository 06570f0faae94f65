"""`onefate explain`: the whole life of one fire, with authors."""

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, TypeAlias, cast

from onefate.broker.door import NoSuchSession
from onefate.broker.errors import ImpossibleId
from onefate.broker.ledger.broker import Broker, open_broker
from onefate.broker.ledger.models import Happening, Json, Life
from onefate.workers.cli.store import DEFAULT_STORE, JsonFlag, StoreFlags

Told: TypeAlias = dict[str, object]
LONGEST_DETAIL: Final = 80


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
        life = await _life(broker, session, fire_id)
    sys.stdout.write(_json(life) if as_json else _text(life))


async def _life(broker: Broker, session: str, fire_id: str) -> Life:
    try:
        return await broker.ledger(session).explain(fire_id)
    except ImpossibleId:
        if await broker.pins(session) is None:
            raise NoSuchSession(session) from None
        raise


def _text(life: Life) -> str:
    fate = "open" if life.settlement is None else life.settlement.status
    names = max((len(each.by) for each in life.happenings), default=0)
    lines = [f"{life.id}  {fate}", *(_line(each, names) for each in life.happenings)]
    if life.payload is not None:
        lines += _block("payload", life.payload)
    if life.settlement is not None:
        receipt = {"effectStatus": life.settlement.status, **life.settlement.envelope}
        lines += _block("receipt", receipt)
    return "\n".join(lines) + "\n"


def _line(happening: Happening, names: int) -> str:
    what = f"{happening.kind:<8}  {happening.by:<{names}}"
    return f"{_moment(happening.at_ms)}  {what}  {_detail(happening)}".rstrip()


def _detail(happening: Happening) -> str:
    """Say the rest of a happening on one line; the receipt is told whole below."""
    if happening.kind == "settled":
        return str(happening.detail["effectStatus"])
    detail = dict(happening.detail)
    if happening.kind == "started":
        detail["seen"] = _moment(cast("int", detail["seen"]))
    said = ", ".join(_said(key, value) for key, value in detail.items())
    return said if len(said) <= LONGEST_DETAIL else f"{said[: LONGEST_DETAIL - 1]}…"


def _said(key: str, value: Json) -> str:
    if key == "effectStatus":
        return str(value)
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return " ".join(f"{key} {text}".split())


def _block(title: str, value: Json) -> Sequence[str]:
    written = json.dumps(value, indent=2, ensure_ascii=False)
    return ["", title, *(f"  {line}" for line in written.splitlines())]


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
    moment = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
    return moment.replace("+00:00", "Z")
