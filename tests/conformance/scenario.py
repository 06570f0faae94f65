"""Recorded scenarios as values: what is played, what was answered, where we leave the reference."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, TypeAlias, TypeGuard, cast

from onefate.broker.errors import BadInput

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Step: TypeAlias = dict[str, Json]


class NotSaid(BadInput):
    """A step names an answer, a group or a wait that no earlier step left behind."""

    code: ClassVar[str] = "NOT_SAID"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"No step before this one left {self.name!r} behind."


@dataclass(frozen=True, slots=True)
class Scenario:
    """One file: a map, a session, the steps, and what each of them answered."""

    name: str
    level: str
    map_id: str
    definition: dict[str, Json]
    session: dict[str, Json]
    port: dict[str, Json]
    steps: tuple[Step, ...]
    expect: tuple[Json, ...]
    departs: int | None
    """The first step whose answer is ours and not the reference's; None where there is none."""


def table(value: Json) -> dict[str, Json]:
    """The value as an object; nothing where there is none."""
    return value if isinstance(value, dict) else {}


def text(value: Json) -> str:
    """The value as a name; scenarios spell every name as a string."""
    if not isinstance(value, str):
        raise TypeError(f"a scenario names something by {value!r}, not by a string")
    return value


def read(path: Path) -> Scenario:
    """Read one scenario."""
    raw = cast("dict[str, Json]", json.loads(path.read_text(encoding="utf-8")))
    plan = table(raw["map"])
    departure = table(raw.get("departure"))
    start = departure.get("from")
    return Scenario(
        name=text(raw.get("name", path.stem)),
        level=text(raw.get("level", path.parent.name)),
        map_id=text(plan["id"]),
        definition=table(plan.get("def")),
        session=table(raw.get("session")),
        port=table(raw.get("port")),
        steps=tuple(table(step) for step in cast("list[Json]", raw.get("steps") or [])),
        expect=tuple(cast("list[Json]", raw["expect"])),
        departs=start if isinstance(start, int) else None,
    )


def files(directories: Sequence[Path]) -> list[Path]:
    """All scenario files of the directories and of the directories in them, in a fixed order."""
    return sorted(found for directory in directories for found in directory.rglob("*.json"))


def scenarios(directories: Sequence[Path], only: str | None = None) -> Iterator[Scenario]:
    """The scenarios of the directories; with `only`, those whose name contains it."""
    for path in files(directories):
        if only is None or only in path.stem:
            yield read(path)


class Missing:
    """Stands for a reference to something that an answer did not have."""


MISSING = Missing()


_REFERENCE: Final = re.compile(r"\$[^\W\d][\w-]*(\..+)?")


def is_reference(value: Json) -> TypeGuard[str]:
    """Whether a value stands for a saved answer, `$name` or `$name.path`."""
    return isinstance(value, str) and _REFERENCE.fullmatch(value) is not None


def lookup(reference: str, saved: Mapping[str, Json]) -> "Json | Missing":
    """What `$name.path` names among the saved answers; `MISSING` where nothing does."""
    name, *path = reference[1:].split(".")
    value: Json | Missing = saved.get(name, MISSING)
    for part in path:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return MISSING
    return value


def resolved(value: Json, saved: Mapping[str, Json]) -> Json:
    """The value with every reference replaced; a key whose reference names nothing is left out."""
    if isinstance(value, str):
        found = lookup(value, saved) if is_reference(value) else value
        return None if isinstance(found, Missing) else found
    if isinstance(value, list):
        return [resolved(item, saved) for item in value]
    if isinstance(value, dict):
        return {
            key: resolved(item, saved)
            for key, item in value.items()
            if not (is_reference(item) and isinstance(lookup(item, saved), Missing))
        }
    return value
