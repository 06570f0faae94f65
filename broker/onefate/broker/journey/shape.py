"""A look at a payload's shape against a plain JSON Schema: names and types, two levels, no values.

A teachable subset on purpose: a level that says more than types, names and `required` is not
judged, and passes (spec: graph-session §3.3, port-settlement §16.5).
"""

from collections.abc import Mapping
from typing import Final

from onefate.broker.journey.values import ABSENT, is_list, is_object

_NOT_JUDGED: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf", "enum", "format", "pattern"})
_JUDGED_TYPES: Final = frozenset(
    {"string", "number", "integer", "boolean", "array", "object", "null"}
)
_LEVELS: Final = 2
_LISTED: Final = 10
_LONGEST_NAME: Final = 40


def shape_issues(schema: Mapping[object, object], payload: object) -> str | None:
    """What is wrong with the shape, then both shapes; None if nothing is, or none is judged."""
    defects = _defects(schema, payload, "", _LEVELS)
    if not defects:
        return None
    listed = "; ".join(_capped(defects))
    return f"{listed}; expected {_expected(schema)}, received {_received(payload)}"


def _defects(
    schema: Mapping[object, object], payload: object, prefix: str, levels: int
) -> list[str]:
    if not _judges(schema) or levels == 0:
        return []
    required = _required(schema)
    if not is_object(payload):
        if payload is ABSENT and not required:
            return []
        return [f"{_named(prefix) if prefix else 'the input'} must be an object"]
    present = {key: part for key, part in payload.items() if part is not ABSENT}
    missing = [f"{_named(prefix + key)} is missing" for key in required if key not in present]
    found: list[str] = []
    for key, declared in _properties(schema).items():
        if key in present and is_object(declared):
            found += _member_defects(declared, present[key], f"{prefix}{key}", levels)
    return missing + found + _unlisted(schema, present, prefix)


def _member_defects(
    declared: Mapping[object, object], part: object, name: str, levels: int
) -> list[str]:
    wanted = declared.get("type")
    judged = isinstance(wanted, str) and wanted in _JUDGED_TYPES and "$ref" not in declared
    if judged and not _is(str(wanted), part):
        return [f"{_named(name)} must be {wanted}, not {type_name(part)}"]
    return _defects(declared, part, f"{name}.", levels - 1)


def _unlisted(
    schema: Mapping[object, object], present: Mapping[object, object], prefix: str
) -> list[str]:
    if schema.get("additionalProperties") is not False or "patternProperties" in schema:
        return []
    properties = _properties(schema)
    return [
        f"{_named(f'{prefix}{key}')} is not expected" for key in present if key not in properties
    ]


def _judges(schema: Mapping[object, object]) -> bool:
    says_more = _NOT_JUDGED.intersection(map(str, schema))
    return not says_more and (schema.get("type") == "object" or is_object(schema.get("properties")))


def _required(schema: Mapping[object, object]) -> list[str]:
    names = schema.get("required")
    return [name for name in names if isinstance(name, str)] if is_list(names) else []


def _properties(schema: Mapping[object, object]) -> Mapping[object, object]:
    properties = schema.get("properties")
    return properties if is_object(properties) else {}


def _is(wanted: str, part: object) -> bool:
    if wanted == "integer":
        whole = isinstance(part, int) or (isinstance(part, float) and part.is_integer())
        return whole and not isinstance(part, bool)
    return type_name(part) == wanted


def type_name(part: object) -> str:
    """The JSON kind of a value."""
    if isinstance(part, bool):
        return "boolean"
    kinds = {
        "null": part is None,
        "string": isinstance(part, str),
        "number": isinstance(part, int | float),
        "array": is_list(part),
        "object": is_object(part),
        "nothing": part is ABSENT,
    }
    return next((kind for kind, holds in kinds.items() if holds), "something else")


def _expected(schema: Mapping[object, object]) -> str:
    required = _required(schema)
    fields = _properties(schema)
    rows = [
        f"{_cut(key)}{'' if key in required else '?'}: {_declared_type(declared)}"
        for key, declared in fields.items()
    ]
    rows += [f"{_cut(key)}: any" for key in required if key not in fields]
    return _braced(rows)


def _declared_type(declared: object) -> str:
    wanted = declared.get("type") if is_object(declared) else None
    if isinstance(wanted, str):
        return _cut(wanted)
    return "object" if is_object(declared) and is_object(declared.get("properties")) else "any"


def _received(payload: object) -> str:
    if not is_object(payload):
        return type_name(payload)
    members = payload.items()
    return _braced([f"{_cut(k)}: {type_name(v)}" for k, v in members if v is not ABSENT])


def _braced(rows: list[str]) -> str:
    return f"{{ {', '.join(_capped(rows))} }}" if rows else "{}"


def _capped(rows: list[str]) -> list[str]:
    more = len(rows) - _LISTED
    return rows if more <= 0 else [*rows[:_LISTED], f"and {more} more"]


def _named(name: str) -> str:
    return f"`{_cut(name.removesuffix('.'))}`"


def _cut(name: object) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in str(name)[:_LONGEST_NAME])
    return shown if len(str(name)) <= _LONGEST_NAME else f"{shown}…"
