"""`onefate doctor`: connect, run the checks that every process runs at its start, and tell all."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import anyio

from onefate.broker.errors import OnefateError
from onefate.broker.ledger.broker import Broker
from onefate.broker.ledger.checks import Finding
from onefate.broker.ledger.link.target import EmbeddedTarget, MemoryTarget
from onefate.broker.ledger.opening import open_link
from onefate.broker.ledger.settings import BrokerSettings, Durability
from onefate.workers.cli.store import DEFAULT_STORE, JsonFlag, StoreFlags

FAILED: Final = 1
PATIENCE: Final = 2.0
"""Seconds for a server that runs already; one that has to be started takes the usual time."""
LOSSES: Final[Mapping[Durability, str]] = {
    Durability.MEMORY: "a restart of the server loses everything",
    Durability.FAST: "power loss may take the last second or two, "
    "a failover what was not replicated yet",
    Durability.REPLICATED: "nothing acknowledged is lost as long as one replica lives",
    Durability.FSYNC: "power loss takes nothing, a failover what was not replicated yet",
    Durability.STRICT: "nothing acknowledged is lost, and a failover refuses writes meanwhile",
}
VERDICTS: Final = {True: "ok", False: "FAILED", None: "not told"}


async def doctor(*, store: StoreFlags = DEFAULT_STORE, as_json: JsonFlag = False) -> int:
    """Check the server a command would use; exit code 1 if it cannot carry the ledger.

    Args:
        store: Which server.
        as_json: Answer in JSON.
    """
    settings = store.settings()
    if not isinstance(settings.target, EmbeddedTarget):
        settings = replace(settings, patience=PATIENCE)
    found = await examine(settings)
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
    answers = Finding("connection", ok=True, sentence=f"{_place(settings)} answers in RESP3.")
    return [answers, *checked, *_promise(settings.durability, checked)]


def _promise(mode: Durability, checked: Sequence[Finding]) -> Sequence[Finding]:
    """Say what can be lost, of a server that can carry the ledger."""
    if any(finding.ok is False for finding in checked):
        return []
    return [Finding("durability", ok=True, sentence=f"Mode {mode}: {LOSSES[mode]}.")]


def _place(settings: BrokerSettings) -> str:
    """Name the server for people, without credentials."""
    match settings.target:
        case EmbeddedTarget():
            return f"The private server of {settings.directory}"
        case MemoryTarget(name=name):
            return f"The store memory://{name}, inside this process,"
        case target:
            return f"The server at {target.endpoint}, database {target.database},"


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
