"""The key-leak check: after every test each key is declared, of its type, and lives as declared."""

from typing import Final, cast

from onefate.broker.ledger.codec import hash_of
from onefate.broker.ledger.keys import KeyFamily, family_of
from onefate.broker.ledger.link import Link, Reply

_ALWAYS_ENDING: Final = frozenset({"settlement", "token"})
_NEVER_ENDING: Final = frozenset({"meta", "session", "open", "table", "log", "work"})
_AS_THE_FIRE: Final = frozenset({"payload", "journal"})


async def leaks(link: Link) -> list[str]:
    """Everything in the store that the declaration does not allow, as sentences."""
    found: list[str] = []
    for key in await _all_keys(link):
        family = family_of(key)
        if family is None:
            found.append(f"{key} is of no declared family")
            continue
        kind = cast("bytes", await link.execute("TYPE", key)).decode()
        if kind != family.type:
            found.append(f"{key} is a {kind}, declared as a {family.type}")
        if (problem := await _life(link, family, key)) is not None:
            found.append(f"{key} {problem}")
    return found


async def _all_keys(link: Link) -> list[str]:
    cursor, found = b"0", list[str]()
    while True:
        reply = cast("list[Reply]", await link.execute("SCAN", cursor, "COUNT", 1000))
        cursor = cast("bytes", reply[0])
        found += [cast("bytes", key).decode() for key in cast("list[Reply]", reply[1])]
        if int(cursor) == 0:
            return found


async def _life(link: Link, family: KeyFamily, key: str) -> str | None:
    ends = cast("int", await link.execute("PTTL", key)) >= 0
    if family.name in _ALWAYS_ENDING:
        return None if ends else "never ends"
    if family.name in _NEVER_ENDING:
        return "ends although it is declared to stay" if ends else None
    if family.name == "fire":
        settled = hash_of(await link.execute("HGETALL", key))["s"] != "open"
        return None if ends == settled else f"ends is {ends}, settled is {settled}"
    if family.name in _AS_THE_FIRE:
        base, session, number = key.rsplit(":", 2)
        fire = f"{base[:-1]}f:{session}:{number}"
        fire_ends = cast("int", await link.execute("PTTL", fire)) >= 0
        return None if ends == fire_ends else f"ends is {ends}, its fire's is {fire_ends}"
    return None
