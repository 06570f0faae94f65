"""Every error of the distribution: one code each, a sentence, a page, and a copy after pickling."""

import inspect
import pickle
import re

import pytest

from onefate.broker.errors import OnefateError
from tests import errors
from tests.guarantees import proves

pytestmark = proves("id:impossible-raises")

EVERY = errors.every_error()


def test_no_two_errors_share_a_code() -> None:
    codes = [error.code for error in EVERY]
    assert sorted(codes) == sorted(set(codes))
    assert [code for code in codes if not re.fullmatch(r"[A-Z]+(_[A-Z]+)*", code)] == []


def test_no_two_errors_share_a_name() -> None:
    names = [error.__name__ for error in EVERY]
    assert sorted(names) == sorted(set(names))


def test_every_error_is_one_of_four_kinds() -> None:
    roots = tuple(root for root, _ in errors.ROOTS)
    assert [error for error in EVERY if not issubclass(error, roots)] == [OnefateError]


def test_every_error_has_a_code_of_its_own_and_says_what_it_means() -> None:
    assert [each.__name__ for each in EVERY if "code" not in vars(each)] == []
    assert [each.__name__ for each in EVERY if not inspect.getdoc(each)] == []


@pytest.mark.parametrize("error", EVERY[1:], ids=lambda error: error.code)
def test_an_error_says_one_sentence_and_pickles(error: type[OnefateError]) -> None:
    made = errors.sample(error)
    says = str(made)
    direct = error.__bases__ != (OnefateError,) or error.code == "IMPOSSIBLE_ID"
    assert bool(says) == direct
    if direct and not says.startswith(("{", "'{")):
        assert says[0].isupper()
        assert says[-1] in ".}"
    copy = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes
    assert type(copy) is error
    assert str(copy) == says
    assert {name: str(vars(copy)[name]) for name in errors.attributes(error)} == {
        name: str(vars(made)[name]) for name in errors.attributes(error)
    }
