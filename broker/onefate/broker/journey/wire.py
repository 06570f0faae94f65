"""The wire form read into models, with every fault as one `MapError` that names its path."""

from typing import Final, TypeVar, cast, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from onefate.broker.journey.errors import MapError, Path, Rule
from onefate.broker.journey.models import WRITTEN, Definition

Model = TypeVar("Model", bound=Definition)

_RULES: Final = frozenset(get_args(Rule))
_PROBLEMS: Final = {
    "missing": "this key is needed here",
    "extra_forbidden": "this key is not one of those that are read here",
    "recursion_depth_exceeded": "the map is nested too deeply",
    "model_attributes_type": "an object is needed here",
    "model_type": "an object is needed here",
    "dict_type": "an object is needed here",
    "too_short": "at least one item is needed here",
    "too_long": "this text is too long",
    "union_tag_invalid": "a source is of the kind 'routes' or 'journeys'",
    "union_tag_not_found": "a source is of the kind 'routes' or 'journeys'",
}


def read(model: type[Model], written: object, path: Path = ()) -> Model:
    """`written` as the model: itself if it is one already, else read by the keys of the wire.

    Raises:
        MapError: the first fault, at `path` and what leads on to it.
    """
    if isinstance(written, model):
        return written
    try:
        return model.model_validate(written, by_alias=True, by_name=False, context=WRITTEN)
    except ValidationError as invalid:
        first = invalid.errors(include_url=False, include_input=False)[0]
        raise _map_error(first, path) from None


def _map_error(fault: ErrorDetails, path: Path) -> MapError:
    rule = cast("Rule", fault["type"]) if fault["type"] in _RULES else "WRONG_SHAPE"
    key = fault.get("ctx", {}).get("key")
    loc = _without_tag(fault["loc"])
    here: Path = (*path, *loc, key) if isinstance(key, str) else (*path, *loc)
    message = fault["msg"]
    problem = _PROBLEMS.get(fault["type"], message[:1].lower() + message[1:])
    return MapError(rule, here, problem)


def _without_tag(loc: tuple[str | int, ...]) -> Path:
    match loc:
        case ("sources", int(), str(), *_):
            return loc[:2] + loc[3:]
        case _:
            return loc
