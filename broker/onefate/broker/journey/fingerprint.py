"""The fingerprint of a map: one text for one declaration, in every process and on every Python.

Functions count by their qualified name and validators by the name of what they are, because nothing
else of them is the same in two processes. Values that are None do not count, so that a new optional
key leaves the fingerprints of old maps alone.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from onefate.broker.journey.canonical import canonical_digest
from onefate.broker.journey.filters import Filter
from onefate.broker.journey.graph import InputContract
from onefate.broker.journey.values import is_object

_EDITION = "1"


def fingerprint(parts: Mapping[str, object]) -> str:
    """The digest of a map's compiled parts: declarations count in order, JSON keys in any."""
    ordered = [
        [
            name,
            [[key, _rendered(value)] for key, value in part.items()] if is_object(part) else part,
        ]
        for name, part in parts.items()
    ]
    return canonical_digest([_EDITION, ordered])


def _rendered(part: object) -> object:
    if isinstance(part, Filter):
        return [[c.key, [[op, threshold] for op, threshold in c.tests]] for c in part.clauses]
    if isinstance(part, InputContract):
        return [part.kind, part.name or _validator_name(part)]
    if is_dataclass(part) and not isinstance(part, type):
        named = [(f.name, getattr(part, f.name)) for f in fields(part)]
        return [[name, _rendered(value)] for name, value in named if value is not None]
    return ["function", _qualified_name(part)] if callable(part) else part


def _validator_name(contract: InputContract) -> object:
    schema = contract.schema
    if contract.kind != "validator":
        return contract.expects
    if is_object(schema):
        return {key: _rendered(part) for key, part in schema.items()}
    return _qualified_name(schema)


def _qualified_name(function: object) -> str:
    wrapped = getattr(function, "func", function)
    name = getattr(wrapped, "__qualname__", None)
    return name if isinstance(name, str) else type(wrapped).__qualname__
