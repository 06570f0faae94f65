"""Input contracts: recognised when the map is built, served as `expects`, asked before every fire.

The parsed value of a validator is discarded: a handler always receives the input that was sent,
with no defaults and no coercion (spec: graph-session §3.1-§3.6).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from onefate.broker.journey.errors import MapError, Path
from onefate.broker.journey.graph import InputContract
from onefate.broker.journey.shape import shape_issues
from onefate.broker.journey.values import ABSENT, Json, detached, error_text, is_object

JUDGED_BY_THE_APP: Final = (
    "The app checks this input by a validator of its own; no schema of it is published. Send what"
    " the action's description asks for, and read the issues of a rejection."
)
TAKES_NOTHING: Final = "this action takes no input; send none"
_INVALID: Final = "the app's validator does not accept this input"
_LISTED: Final = 5


@dataclass(frozen=True, slots=True)
class CheckedPayload:
    """An input after its contract was asked: the value to use from here on, and what is wrong.

    `value` is `ABSENT` for no input; `issues` is None if nothing is wrong.
    """

    value: object
    issues: str | None = None


def contract_of(declared: object, path: Path = ()) -> InputContract:
    """The contract an `input` declares; `ABSENT` declares none.

    Recognised, in this order: `'none'`; a pydantic model or TypeAdapter; an object with
    `safe_parse` (or `safeParse`) or `parse`; a JSON Schema, which has a text `type` or an object
    `properties`.

    Raises:
        MapError: BAD_INPUT_CONTRACT, for anything else.
    """
    if declared is ABSENT:
        return InputContract()
    if declared == "none":
        return InputContract("none", expects="none")
    typed = _typed(declared)
    if typed is not None:
        return typed
    if _door(declared, "safe_parse", "safeParse") or _door(declared, "parse"):
        return InputContract("validator", declared, JUDGED_BY_THE_APP)
    if is_object(declared) and _is_json_schema(declared):
        return InputContract("json-schema", detached(declared), cast("Json", detached(declared)))
    sentence = "an input is 'none', a JSON Schema with a type or properties, or a validator"
    raise MapError("BAD_INPUT_CONTRACT", path, sentence)


def check_payload(
    contract: InputContract, payload: object = ABSENT, *, check_shape: bool = True
) -> CheckedPayload:
    """The input judged by its contract; never raises for anything an agent can send.

    A blank input of an action that takes none becomes `ABSENT`. `check_shape` switches the look at
    plain JSON Schemas off; it changes nothing else.
    """
    match contract.kind:
        case "none":
            if is_blank_input(payload):
                return CheckedPayload(ABSENT)
            return CheckedPayload(payload, TAKES_NOTHING)
        case "json-schema" if check_shape and is_object(contract.schema):
            return CheckedPayload(payload, shape_issues(contract.schema, payload))
        case "typed" | "validator":
            return CheckedPayload(payload, _issues(contract, payload))
        case _:
            return CheckedPayload(payload)


def is_blank_input(payload: object) -> bool:
    """True for what counts as no input: nothing, an empty text, an object with nothing in it."""
    if is_object(payload):
        return all(part is ABSENT for part in payload.values())
    return payload is ABSENT or payload == ""


def _is_json_schema(declared: Mapping[object, object]) -> bool:
    return isinstance(declared.get("type"), str) or is_object(declared.get("properties"))


def is_adapter(declared: object) -> TypeGuard[TypeAdapter[object]]:
    """True for a pydantic TypeAdapter, of whatever type."""
    return isinstance(declared, TypeAdapter)


def is_model(declared: object) -> TypeGuard[type[BaseModel]]:
    """True for a pydantic model class."""
    return isinstance(declared, type) and issubclass(declared, BaseModel)


def _typed(declared: object) -> InputContract | None:
    if is_adapter(declared):
        return InputContract("typed", declared, _rendered(declared))
    if is_model(declared):
        adapter = TypeAdapter[object](declared)
        return InputContract("typed", adapter, _rendered(adapter), declared.__qualname__)
    return None


def _rendered(adapter: TypeAdapter[object]) -> Json:
    try:
        return cast("Json", adapter.json_schema())
    except PydanticUserError:
        return JUDGED_BY_THE_APP


def _door(validator: object, *names: str) -> Callable[[object], object] | None:
    for name in names:
        door = validator.get(name) if is_object(validator) else getattr(validator, name, None)
        if callable(door):
            return cast("Callable[[object], object]", door)
    return None


def _issues(contract: InputContract, payload: object) -> str | None:
    value = None if payload is ABSENT else detached(payload)
    try:
        if is_adapter(contract.schema):
            contract.schema.validate_python(value)
            return None
        if judge := _door(contract.schema, "safe_parse", "safeParse"):
            return _refusal(judge(value))
        if parse := _door(contract.schema, "parse"):
            parse(value)
    except ValidationError as invalid:
        return _typed_issues(invalid)
    except Exception as refused:  # noqa: BLE001 - raising is how an app's validator says no
        return error_text(refused) or _INVALID
    return None


def _refusal(result: object) -> str | None:
    def said(name: str) -> object:
        return result.get(name) if is_object(result) else getattr(result, name, None)

    if said("success") is True:
        return None
    error = said("error")
    return _INVALID if error is None else error_text(error) or _INVALID


def _typed_issues(invalid: ValidationError) -> str:
    errors = invalid.errors(include_url=False, include_context=False, include_input=False)
    rows = [f"{'.'.join(map(str, row['loc'])) or 'the input'}: {row['msg']}" for row in errors]
    more = len(rows) - _LISTED
    return error_text("; ".join(rows if more <= 0 else [*rows[:_LISTED], f"and {more} more"]))
