"""Input contracts: what is recognised, what passes, and issues that name no value."""

from collections.abc import Callable

import pytest
from hypothesis import given
from pydantic import BaseModel, TypeAdapter

from onefate.broker.journey import (
    ABSENT,
    JUDGED_BY_THE_APP,
    InputContract,
    check_payload,
    contract_of,
)
from tests.guarantees import proves
from tests.journey.strategies import JSON_VALUES, deep

pytestmark = proves("call:never-waits", "text:two-classes")

CLAIM: dict[str, object] = {
    "type": "object",
    "properties": {
        "number": {"type": "string"},
        "amount": {"type": "number"},
        "people": {"type": "integer"},
        "urgent": {"type": "boolean"},
        "photos": {"type": "array"},
        "nothing": {"type": "null"},
        "either": {"type": ["string", "number"]},
        "grade": {"type": "string", "enum": ["a"]},
        "address": {
            "type": "object",
            "properties": {
                "street": {"type": "string"},
                "geo": {"type": "object", "required": ["lat"]},
            },
            "required": ["street"],
            "additionalProperties": False,
        },
    },
    "required": ["number", 5],
    "additionalProperties": False,
}


class Order(BaseModel):
    amount: int


class Judge:
    """A validator in the style of the front end."""

    def safe_parse(self, value: object) -> dict[str, object]:
        return {"success": value == 5, "error": "five is right"}


class Parser:
    """A validator that raises."""

    def parse(self, value: object) -> object:
        if value is None:
            raise ValueError
        return value


def refusing(_value: object) -> dict[str, bool]:
    return {"success": False}


def issues(declared: object, payload: object = ABSENT) -> str | None:
    return check_payload(contract_of(declared), payload).issues


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        ({"number": "A"}, None),
        ({"number": "A", "people": 2.0, "amount": 1, "either": [], "grade": "z"}, None),
        ({"number": "A", "grade": 5}, "`grade` must be string, not number"),
        ({}, "`number` is missing"),
        ({"number": ABSENT}, "`number` is missing"),
        (ABSENT, "the input must be an object"),
        ("A", "the input must be an object"),
        ({"number": 5}, "`number` must be string, not number"),
        ({"number": "A", "amount": True}, "`amount` must be number, not boolean"),
        ({"number": "A", "people": 2.5}, "`people` must be integer, not number"),
        ({"number": "A", "nothing": 0}, "`nothing` must be null, not number"),
        ({"number": "A", "urgent": 1}, "`urgent` must be boolean, not number"),
        ({"number": "A", "photos": {}}, "`photos` must be array, not object"),
        ({"number": "A", "more": 1}, "`more` is not expected"),
        ({"number": "A", "address": []}, "`address` must be object, not array"),
        ({"number": "A", "address": {}}, "`address.street` is missing"),
        ({"number": "A", "address": {"street": "s", "zip": 1}}, "`address.zip` is not expected"),
        ({"number": "A", "address": {"street": "s", "geo": {}}}, None),
    ],
)
def test_a_plain_schema_is_checked_two_levels_deep(payload: object, says: str | None) -> None:
    found = issues(CLAIM, payload)
    assert found is None if says is None else (found or "").startswith(says)


@pytest.mark.parametrize("key", ["$ref", "allOf", "anyOf", "oneOf", "enum", "format", "pattern"])
def test_a_level_that_says_more_is_not_judged(key: str) -> None:
    assert issues({**CLAIM, key: "x"}, {}) is None


def test_levels_that_are_not_objects_pass() -> None:
    assert issues({"type": "string"}, 5) is None
    assert issues({"type": "object"}) is None
    assert issues({"type": "object", "properties": []}, {"a": 1}) is None
    open_ended: dict[str, object] = {
        "properties": {},
        "additionalProperties": False,
        "patternProperties": {},
    }
    assert issues(open_ended, {"a": 1}) is None
    assert check_payload(contract_of(CLAIM), {}, check_shape=False).issues is None


def test_issues_are_bounded_and_name_no_value() -> None:
    secret = {f"secret{n}\n{'k' * 60}": "value" for n in range(50)}
    found = issues(CLAIM, {**secret, "amount": "value"}) or ""
    assert "value" not in found
    assert "\n" not in found
    assert "and 42 more" in found
    assert len(found) < 2_000
    assert "expected { number: string, amount?: number" in found


@given(JSON_VALUES)
def test_any_payload_can_be_judged(payload: object) -> None:
    for declared in (CLAIM, Order, Judge(), Parser(), "none", {"type": "object"}):
        contract = contract_of(declared)
        checked = check_payload(contract, payload)
        assert checked.value is ABSENT or checked.value is payload


def test_depth_breaks_nothing() -> None:
    for declared in (CLAIM, Order, Judge(), Parser(), "none", TypeAdapter(list[object])):
        check_payload(contract_of(declared), deep(20_000))


@pytest.mark.parametrize("payload", [ABSENT, "", {}, {"a": ABSENT}])
def test_blank_input_of_an_action_that_takes_none_becomes_none(payload: object) -> None:
    checked = check_payload(contract_of("none"), payload)
    assert (checked.value, checked.issues) == (ABSENT, None)


@pytest.mark.parametrize("payload", [None, 0, False, [], " ", {"value": ""}])
def test_anything_else_is_refused(payload: object) -> None:
    checked = check_payload(contract_of("none"), payload)
    assert checked.value is payload
    assert checked.issues is not None


def test_undeclared_input_is_left_alone() -> None:
    assert check_payload(InputContract(), {}).value == {}
    assert contract_of(ABSENT) == InputContract()


def test_validators_judge_and_change_nothing() -> None:
    assert issues(Order, {"amount": "5"}) is None
    assert check_payload(contract_of(Order), {"amount": "5"}).value == {"amount": "5"}
    found = issues(Order, {"amount": "secret"}) or ""
    assert found.startswith("amount: ")
    assert "secret" not in found
    assert (issues(Order) or "").startswith("the input: ")
    assert issues(TypeAdapter(int), "x") is not None
    assert issues(Judge(), 5) is None
    assert issues(Judge(), 6) == "five is right"
    assert issues(Parser(), 1) is None
    assert issues(Parser(), None) == "ValueError"
    assert issues({"safeParse": refusing}, 1) is not None
    assert issues({"parse": str}, 1) is None


def test_a_contract_without_a_door_judges_nothing() -> None:
    assert check_payload(InputContract("validator", object()), 1).issues is None


def test_what_is_served_of_a_contract() -> None:
    assert contract_of("none").expects == "none"
    served = contract_of(Order).expects
    assert isinstance(served, dict)
    assert served["required"] == ["amount"]
    assert contract_of(CLAIM).expects == CLAIM
    assert contract_of(CLAIM).expects is not CLAIM
    assert contract_of(Judge()).expects == JUDGED_BY_THE_APP
    assert contract_of(TypeAdapter(Callable[[], int])).expects == JUDGED_BY_THE_APP
