"""One declaration has one fingerprint, wherever it is compiled."""

import functools
import json
import os
import subprocess
import sys

import pytest
from pydantic import BaseModel, TypeAdapter

from onefate.broker.journey import compile_map
from tests.guarantees import proves
from tests.journey.maps import CLINIC, action

pytestmark = proves("tools:bytes-stable")

PROGRAM = (
    "import json, sys; from onefate.broker.journey import compile_map;"
    " print(compile_map('clinic', json.load(sys.stdin)).fingerprint)"
)


def held(_state: object) -> bool:
    return True


def other(_state: object) -> bool:
    return False


class Amount(BaseModel):
    amount: int


class Sum(BaseModel):
    amount: int


class Judge:
    """A validator that is an object."""

    def parse(self, value: object) -> object:
        return value


def of(definition: dict[str, object]) -> str:
    return compile_map("office", definition).fingerprint


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_it_is_the_same_in_every_process(seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(CLINIC),
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=environment,
    )
    assert ran.stdout.strip() == compile_map("clinic", CLINIC).fingerprint


def test_key_order_inside_json_does_not_count_and_order_of_declarations_does() -> None:
    one = action(input={"type": "object", "required": ["a"]})
    two = action(input={"required": ["a"], "type": "object"})
    assert of(one) == of(two)
    assert of({"pages": {"a": {}, "b": {}}}) != of({"pages": {"b": {}, "a": {}}})


@pytest.mark.parametrize(
    "changed",
    [
        {"does": "Do another thing"},
        {"when": {"a": {"eq": 1}}},
        {"when": {"a": {"eq": True}}},
        {"writes": []},
        {"input": "none"},
        {"input": {"type": "object"}},
        {"input": Amount},
        {"input": Sum},
        {"input": TypeAdapter(int)},
        {"input": Judge()},
        {"input": {"parse": held}},
        {"verify": held},
        {"verify": other},
        {"blockedBecause": {"says": "No", "clearedBy": "app"}},
        {"binding": {"kind": "url", "href": "/"}},
    ],
)
def test_what_is_declared_counts(changed: dict[str, object]) -> None:
    changes: list[dict[str, object]] = [{}, {"when": {"a": {"eq": 2}}}, {"verify": Judge().parse}]
    assert of(action(**changed)) == of(action(**changed))
    assert of(action(**changed)) not in [of(action(**change)) for change in changes]


def test_functions_count_by_their_names() -> None:
    assert of(action(verify=held)) != of(action(verify=other))
    assert of(action(verify=held)) == of(action(verify=functools.partial(held)))
    assert of(action(input=Judge())) == of(action(input=Judge()))
