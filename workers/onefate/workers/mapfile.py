"""Map files: one JSON object, `{"id": …, "def": {…}}`, the same that a front end builds from."""

import json
from pathlib import Path
from typing import cast

from onefate.broker.journey import JourneyMap, Json, compile_map, map_json_schema
from onefate.workers.errors import BadFile


def load_map(path: Path) -> JourneyMap:
    """Read a map file and compile it.

    Raises:
        BadFile: the file cannot be read, or is no object with `id` and `def`.
        MapError: the first rule the map breaks, with the path to the fault.
    """
    return map_of(_read(path), str(path))


def read_options(path: Path) -> dict[str, object]:
    """Read a file of session options, as the wire spells them.

    Raises:
        BadFile: the file cannot be read, or is no object.
    """
    value = _read(path)
    if not isinstance(value, dict):
        raise BadFile(str(path), "it must be an object of session options")
    return cast("dict[str, object]", value)


def _read(path: Path) -> object:
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
    if not isinstance(value, dict) or not {"id", "def"} <= value.keys():
        raise BadFile(name, "it must be an object with `id` and `def`")
    held = cast("dict[str, object]", value)
    map_id, definition = held["id"], held["def"]
    if not isinstance(map_id, str) or not isinstance(definition, dict):
        raise BadFile(name, "`id` must be a text and `def` an object")
    return compile_map(map_id, cast("dict[str, object]", definition))


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
