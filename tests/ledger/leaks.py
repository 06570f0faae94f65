"""The key-leak check: after every test each key is declared, of its type, and lives as declared."""

from typing import Final, cast

from onefate.broker.ledger.keys import KeyFamily, family_of
from onefate.broker.ledger.link import Link, Reply

_ALWAYS_ENDING: Final = frozenset({"settlement", "token"})
_NEVER_ENDING: Final = frozenset({"meta", "session", "open", "table", "log", "work"})
_AS_THE_FIRE: Final = frozenset({"payload", "journal"})


async def leaks(link: Link) -> list[str]:
    """Everything in the store that the declaration does not allow, as sentences."""
    found: list[str] = []
    names = await _all_keys(link)
    kinds = await link.pipeline([("TYPE", key) for key in names])
    lives = await link.pipeline([("PTTL", key) for key in names])
    ends = {key: cast("int", left) >= 0 for key, left in zip(names, lives, strict=True)}
    for key, kind in zip(names, kinds, strict=True):
        family = family_of(key)
        if family is None:
            found.append(f"{key} is of no declared family")
            continue
        if (told := cast("bytes", kind).decode()) != family.type:
            found.append(f"{key} is a {told}, declared as a {family.type}")
        if (problem := _life(family, key, ends)) is not None:
            found.append(f"{key} {problem}")
    return [*found, *await _misplaced(link, ends)]


async def _all_keys(link: Link) -> list[str]:
    cursor, found = b"0", list[str]()
    while True:
        reply = cast("list[Reply]", await link.execute("SCAN", cursor, "COUNT", 1000))
        cursor = cast("bytes", reply[0])
        found += [cast("bytes", key).decode() for key in cast("list[Reply]", reply[1])]
        if int(cursor) == 0:
            return found


def _life(family: KeyFamily, key: str, ends: dict[str, bool]) -> str | None:
    if family.name in _ALWAYS_ENDING:
        return None if ends[key] else "never ends"
    if family.name in _NEVER_ENDING:
        return "ends although it is declared to stay" if ends[key] else None
    if family.name in _AS_THE_FIRE:
        base, session, number = key.rsplit(":", 2)
        fire = f"{base[:-1]}f:{session}:{number}"
        return None if ends[key] == ends.get(fire) else "does not live as its fire does"
    return None


async def _misplaced(link: Link, ends: dict[str, bool]) -> list[str]:
    """Fires that live on after they settled, or may be lost before."""
    fires = [key for key in ends if (family := family_of(key)) and family.name == "fire"]
    states = await link.pipeline([("HGET", key, "s") for key in fires])
    return [
        f"{key} ends is {ends[key]} while it is {state!r}"
        for key, state in zip(fires, states, strict=True)
        if ends[key] == (state == b"open")
    ]
