"""`onefate doctor`: connect, run the checks that every process runs at its start, and tell all."""

import json
import sys
from collections.abc import Sequence
from typing import Final

import anyio

from onefate.broker.errors import OnefateError
from onefate.broker.ledger.broker import Broker
from onefate.broker.ledger.checks import Finding
from onefate.broker.ledger.opening import open_link
from onefate.broker.ledger.settings import BrokerSettings
from onefate.workers.cli.store import DEFAULT_STORE, JsonFlag, StoreFlags

FAILED: Final = 1
VERDICTS: Final = {True: "ok", False: "FAILED", None: "not told"}


async def doctor(*, store: StoreFlags = DEFAULT_STORE, as_json: JsonFlag = False) -> int:
    """Check the server a command would use; exit code 1 if it cannot carry the ledger.

    Args:
        store: Which server.
        as_json: Answer in JSON.
    """
    found = await examine(store.settings())
    sys.stdout.write(_json(found) if as_json else _text(found))
    return 0 if all(finding.ok is not False for finding in found) else FAILED


async def examine(settings: BrokerSettings) -> Sequence[Finding]:
    """Give the connection and every check as findings; an unreachable server is one, too."""
    try:
        link = await open_link(settings)
    except OnefateError as error:
        return [Finding("connection", ok=False, sentence=f"{error} [{error.code}]")]
    broker = Broker(link, settings)
    try:
        with anyio.fail_after(settings.patience):
            checked = await broker.doctor()
    except TimeoutError:
        told = f"The server did not answer within {settings.patience:g} s."
        return [Finding("connection", ok=False, sentence=told)]
    except OnefateError as error:
        return [Finding("connection", ok=False, sentence=f"{error} [{error.code}]")]
    finally:
        await broker.aclose()
    return [Finding("connection", ok=True, sentence="The server answers in RESP3."), *checked]


def _text(found: Sequence[Finding]) -> str:
    lines = [f"{VERDICTS[each.ok]:<8}  {each.check:<11}  {each.sentence}\n" for each in found]
    return "".join(lines)


def _json(found: Sequence[Finding]) -> str:
    checks = [
        {"check": each.check, "verdict": VERDICTS[each.ok].lower(), "says": each.sentence}
        for each in found
    ]
    ok = all(each.ok is not False for each in found)
    return json.dumps({"ok": ok, "checks": checks}, indent=2) + "\n"
