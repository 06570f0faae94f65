"""Map files: one JSON object, `{"id": …, "def": {…}}`, the same that a front end builds from."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from onefate.broker.journey import JourneyMap, Json, compile_map, map_json_schema
from onefate.broker.journey.errors import path_text
from onefate.broker.journey.nearest import nearest
from onefate.broker.journey.unread import unread_keys
from onefate.workers.errors import BadFile

_FILE_KEYS: Final = frozenset({"$schema", "id", "def"})


def load_map(path: Path) -> JourneyMap:
    """Read a map file and compile it.

    Raises:
        BadFile: the file cannot be read, or is no object with `id` and `def`.
        MapError: the first rule the map breaks, with the path to the fault.
    """
    return map_of(read_file(path), str(path))


def read_options(path: Path) -> dict[str, object]:
    """Read a file of session options, as the wire spells them.

    Raises:
        BadFile: the file cannot be read, or is no object.
    """
    value = read_file(path)
    if not isinstance(value, dict):
        raise BadFile(str(path), "it must be an object of session options")
    return cast("dict[str, object]", value)


def read_file(path: Path) -> object:
    """Read a file of JSON.

    Raises:
        BadFile: it cannot be read, or is none.
    """
    try:
        return cast("object", json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise BadFile(str(path), error.strerror or "it cannot be read") from error
    except RecursionError:
        raise BadFile(str(path), "it is nested too deeply") from None
    except json.JSONDecodeError as error:
        problem = f"it is not JSON (line {error.lineno}, column {error.colno})"
        raise BadFile(str(path), problem) from None
    except ValueError:
        raise BadFile(str(path), "it is not JSON in UTF-8") from None


def map_of(value: object, name: str) -> JourneyMap:
    """Compile what a map file holds; `name` is what an error calls it.

    Raises:
        BadFile: `value` is no object with `id` and `def`.
        MapError: the first rule the map breaks.
    """
    return compile_map(*_parts(value, name))


def ignored_keys(value: object, name: str) -> Sequence[str]:
    """Say of every key of a map file that nothing reads where it stands, a text for each.

    Raises:
        BadFile: `value` is no object with `id` and `def`.
        MapError: it cannot be read.
    """
    _, definition = _parts(value, name)
    beside = cast("dict[str, object]", value).keys() - _FILE_KEYS
    return [
        *(f"the file: {key}{nearest(key, ('id', 'def'))}" for key in sorted(beside)),
        *(f"{path_text(each.path)}: {each.key}{each.meant}" for each in unread_keys(definition)),
    ]


def _parts(value: object, name: str) -> tuple[str, dict[str, object]]:
    if not isinstance(value, dict) or not {"id", "def"} <= value.keys():
        raise BadFile(name, "it must be an object with `id` and `def`")
    held = cast("dict[str, object]", value)
    map_id, definition = held["id"], held["def"]
    if not isinstance(map_id, str) or not isinstance(definition, dict):
        raise BadFile(name, "`id` must be a text and `def` an object")
    return map_id, cast("dict[str, object]", definition)


def map_file_schema() -> dict[str, Json]:
    """Give the JSON Schema of a map file."""
    definition = map_json_schema()
    shared = {key: definition.pop(key) for key in ("$schema", "$defs") if key in definition}
    schema: dict[str, Json] = {
        "title": "A onefate map file",
        "type": "object",
        "required": ["id", "def"],
        "properties": {"id": {"type": "string", "pattern": r"\S"}, "def": definition},
    }
    return schema | shared
