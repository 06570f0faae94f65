"""Names: which are legal, how they are written into tool names, and what a short one means.

Spec: graph-session §1.3, §1.6.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from onefate.broker.journey.errors import MapError, Path
from onefate.broker.journey.scalars import is_blank
from onefate.broker.journey.words import LEAVE_JOURNEY, RESERVED_CHARACTERS

ESCAPE: Final = "_enc_"
_UNWRITABLE: Final = frozenset({"Cc", "Cs"})
_LEGAL: Final = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
_LEGAL_FIELD: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_PLAIN: Final = re.compile(r"[A-Za-z0-9.-]", re.ASCII)
_PLAIN_FIELD: Final = re.compile(r"[A-Za-z0-9-]", re.ASCII)


def encode_tool_name(raw: str) -> str:
    """A tool name every host accepts: `raw` itself where it is one, else an escaped form.

    Injective: two different names never encode alike.
    """
    return _encode(raw, _LEGAL, _PLAIN)


def encode_tool_fields(*fields: str) -> str:
    """A tool name of several fragments: each encoded, dots included, then joined by dots."""
    return ".".join(_encode(field, _LEGAL_FIELD, _PLAIN_FIELD) for field in fields)


def _encode(raw: str, legal: re.Pattern[str], plain: re.Pattern[str]) -> str:
    if legal.fullmatch(raw) and not raw.startswith(ESCAPE):
        return raw
    return ESCAPE + "".join(_escaped(unit, plain) for unit in _units(raw))


def _escaped(unit: int, plain: re.Pattern[str]) -> str:
    character = chr(unit)
    if character == "_":
        return "__"
    return character if plain.fullmatch(character) else f"_u{unit:04x}"


def _units(text: str) -> Iterable[int]:
    encoded = text.encode("utf-16-be", "surrogatepass")
    return (high << 8 | low for high, low in zip(encoded[::2], encoded[1::2], strict=True))


def is_legal_name(name: object) -> bool:
    """True for what may name a page, a container, an action or a journey.

    A name stands in ids, keys and announcements, so it has no control character and no half of a
    surrogate pair.
    """
    return (
        isinstance(name, str)
        and not is_blank(name)
        and not any(character in name for character in RESERVED_CHARACTERS)
        and not any(unicodedata.category(character) in _UNWRITABLE for character in name)
    )


def check_name(name: object, path: Path) -> None:
    """Pass a legal name.

    Raises:
        MapError: BAD_NAME.
    """
    if not is_legal_name(name):
        spaced = " ".join(RESERVED_CHARACTERS)
        raise MapError(
            "BAD_NAME",
            path,
            f"a name is not blank, is plain Unicode text, and holds none of {spaced}",
        )


def check_action_id(action_id: str, path: Path) -> None:
    """Pass an action id that leaves the synthetic action of a journey frame its name.

    Raises:
        MapError: RESERVED_NAME.
    """
    if action_id == LEAVE_JOURNEY or action_id.endswith(f".{LEAVE_JOURNEY}"):
        raise MapError("RESERVED_NAME", path, f"{LEAVE_JOURNEY} is the way out of a journey")


def matching_ids(ids: Iterable[str], asked: str) -> tuple[str, ...]:
    """The ids a name can mean: the exact one alone, else all that end in `.asked`, in order.

    None means unknown, several ambiguous.
    """
    known = tuple(ids)
    if asked in known:
        return (asked,)
    return tuple(found for found in known if found.endswith(f".{asked}"))


def instance_key(action_id: str, instance: str) -> str:
    """The key under which a handler of one instance is registered."""
    return f"{action_id}[{instance}]"
