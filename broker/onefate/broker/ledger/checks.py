"""What a server must be before the ledger trusts it: each check is one sentence with a stable name.

The names are `version`, `policy`, `role`, `persistence`, `replicas` and `namespace`. A server that
does not tell (a managed service may deny CONFIG and INFO) is believed where it is silent, and
`doctor` says so.
"""

from dataclasses import dataclass
from typing import Final

from onefate.broker.ledger.codec import hash_of
from onefate.broker.ledger.errors import ServerRefused
from onefate.broker.ledger.faults import CheckFailed
from onefate.broker.ledger.ids import PARTITIONS
from onefate.broker.ledger.settings import Durability
from onefate.broker.ledger.store import SCHEMA, Store, text

_OLDEST: Final = (7, 0)
_PERSISTENT: Final = (Durability.FAST, Durability.REPLICATED, Durability.FSYNC, Durability.STRICT)
_FSYNC: Final = (Durability.FSYNC, Durability.STRICT)
REPLICATED: Final = (Durability.REPLICATED, Durability.STRICT)


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's result: `ok` is None where the server does not tell."""

    check: str
    ok: bool | None
    sentence: str


async def findings(store: Store) -> tuple[Finding, ...]:
    """Give every check's result; nothing raises but an unreachable server."""
    info = await _info(store)
    config = await _config(store, info)
    mode = store.settings.durability
    return (
        _version(info),
        _policy(config),
        _role(info),
        _persistence(mode, config),
        _replicas(mode, info),
        await _namespace(store),
    )


async def require(store: Store) -> None:
    """Return if the server can carry the ledger.

    Raises:
        CheckFailed: naming the first check that failed.
    """
    for finding in await findings(store):
        if finding.ok is False:
            raise CheckFailed(finding.check, finding.sentence)


async def replicas(store: Store) -> int:
    """Count the replicas connected now; one where the server does not tell."""
    return int((await _info(store)).get("connected_slaves", "1"))


async def _info(store: Store) -> dict[str, str]:
    try:
        lines = text(await store.command("INFO")).splitlines()
    except ServerRefused:
        return {}
    return dict(line.split(":", 1) for line in lines if ":" in line)


async def _config(store: Store, info: dict[str, str]) -> dict[str, str]:
    found = {
        "maxmemory-policy": info.get("maxmemory_policy", ""),
        "appendonly": {"0": "no", "1": "yes"}.get(info.get("aof_enabled", ""), ""),
    }
    for name in ("maxmemory-policy", "appendonly", "appendfsync"):
        try:
            found.update(hash_of(await store.command("CONFIG", "GET", name)))
        except ServerRefused:
            break
    return {name: value for name, value in found.items() if value}


def _version(info: dict[str, str]) -> Finding:
    told = info.get("redis_version", "")
    if not told:
        return Finding("version", None, "The server does not tell its version.")
    ok = tuple(int(part) for part in told.split(".")[:2]) >= _OLDEST
    valkey = info.get("valkey_version")
    said = f"Valkey {valkey}, which speaks Redis {told}" if valkey else f"Redis {told}"
    needed = "" if ok else "; Redis 7.0 or newer is needed"
    return Finding("version", ok, f"The server is {said}{needed}.")


def _policy(config: dict[str, str]) -> Finding:
    told = config.get("maxmemory-policy")
    if told is None:
        return Finding("policy", None, "The server does not tell its maxmemory-policy.")
    if told == "noeviction":
        return Finding("policy", ok=True, sentence="The server evicts nothing (noeviction).")
    return Finding(
        "policy", ok=False,
        sentence=f"The server's maxmemory-policy is {told}; it must be noeviction, or settlements "
        "vanish.",
    )  # fmt: skip


def _role(info: dict[str, str]) -> Finding:
    told = info.get("role")
    if told is None:
        return Finding("role", None, "The server does not tell its role.")
    ok = told == "master"
    needed = "" if ok else "; the ledger needs the master"
    return Finding("role", ok, f"The server is a {told}{needed}.")


def _persistence(mode: Durability, config: dict[str, str]) -> Finding:
    told = config.get("appendonly")
    if mode not in _PERSISTENT:
        return Finding("persistence", ok=True, sentence="Nothing is promised to survive a restart.")
    if told is None:
        return Finding("persistence", None, "The server does not tell whether it persists.")
    if told != "yes":
        return Finding(
            "persistence", ok=False,
            sentence=f"The server has no append-only file; durability {mode} needs appendonly yes, "
            "or choose durability memory.",
        )  # fmt: skip
    fsync = config.get("appendfsync")
    if mode in _FSYNC and fsync != "always":
        return Finding(
            "persistence", None if fsync is None else False,
            f"The server's appendfsync is {fsync}; durability {mode} needs always.",
        )  # fmt: skip
    return Finding("persistence", ok=True, sentence="The server keeps an append-only file.")


def _replicas(mode: Durability, info: dict[str, str]) -> Finding:
    if mode not in REPLICATED:
        return Finding("replicas", ok=True, sentence="No replica is waited for.")
    told = info.get("connected_slaves")
    if told is None:
        return Finding("replicas", None, "The server does not tell its replicas.")
    ok = int(told) > 0
    needed = "" if ok else f"; durability {mode} needs at least one"
    return Finding("replicas", ok, f"The replicas connected: {told}{needed}.")


async def _namespace(store: Store) -> Finding:
    namespace = store.settings.namespace
    await store.history_now()
    for name, wanted in (("partitions", str(PARTITIONS)), ("schema", SCHEMA)):
        stands = store.record.get(name)
        if stands != wanted:
            return Finding(
                "namespace", ok=False,
                sentence=f"The namespace '{namespace}' has {name} {stands}; this version uses "
                f"{wanted}: use another namespace, or the version that made it.",
            )  # fmt: skip
    return Finding("namespace", ok=True, sentence=f"The namespace '{namespace}' fits.")
