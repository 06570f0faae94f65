"""Keys of a written map that nothing reads: they are ignored, and may be slips of the pen."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from onefate.broker.journey.errors import Path
from onefate.broker.journey.models import Definition, MapDefinition
from onefate.broker.journey.nearest import nearest
from onefate.broker.journey.values import is_list, is_object
from onefate.broker.journey.wire import read


@dataclass(frozen=True, slots=True)
class Unread:
    """A key that is not read where it stands; `meant` names one that is and looks like it."""

    path: Path
    key: str
    meant: str = ""


def unread_keys(definition: Mapping[str, object]) -> tuple[Unread, ...]:
    """Every key that is ignored, in the order of the declarations.

    Raises:
        MapError: the definition cannot be read at all.
    """
    return tuple(_below(read(MapDefinition, definition), definition, ()))


def _of(model: Definition, written: Mapping[object, object], path: Path) -> Iterator[Unread]:
    fields = type(model).model_fields
    names = {field.alias or name: name for name, field in fields.items()}
    for key in map(str, written):
        if key not in names:
            yield Unread(path, key, nearest(key, names))
    for key, name in names.items():
        if key in written:
            yield from _below(getattr(model, name), written[key], (*path, key))


def _below(value: object, written: object, path: Path) -> Iterator[Unread]:
    if isinstance(value, Definition) and is_object(written):
        yield from _of(value, written, path)
    elif is_object(value) and is_object(written):
        for key, part in value.items():
            yield from _below(part, written[key], (*path, str(key)))
    elif is_list(value) and is_list(written):
        for position, part in enumerate(value):
            yield from _below(part, written[position], (*path, position))
