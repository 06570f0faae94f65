"""Every test names the laws it proves, every law has a test, and the page says the same."""

import ast
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path

import pytest

from tests.guarantees import FAILURES, LATER, LAWS, proves
from tests.layout.tree import ROOT, name

TESTS = ROOT / "tests"
IDS = frozenset(law.id for law in LAWS)

Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def named_in(node: ast.AST) -> set[str]:
    """The laws named by the `proves(...)` calls within one expression."""
    return {
        argument.value
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "proves"
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


def named_by(scope: Scope) -> set[str]:
    """The laws a module, class or function names itself: by decorators or its `pytestmark`."""
    laws = set[str]()
    if not isinstance(scope, ast.Module):
        laws.update(*map(named_in, scope.decorator_list))
    for statement in scope.body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "pytestmark"
            for target in statement.targets
        ):
            laws |= named_in(statement.value)
    return laws


def walk(scope: Scope, outer: AbstractSet[str], where: str) -> Iterator[tuple[str, set[str]]]:
    """Each test below a scope with the laws it names, its surroundings' included."""
    laws = named_by(scope) | outer
    for node in scope.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from walk(node, laws, f"{where}::{node.name}")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("test"):
                yield f"{where}::{node.name}", laws | named_by(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id.startswith("Test"):
                    yield f"{where}::{target.id}", laws


@cache
def proofs() -> dict[str, set[str]]:
    """Every test of the product, with the laws it names; those of the tree are of this folder."""
    files = sorted(path for path in TESTS.rglob("test_*.py") if path.parent.name != "layout")
    return {test: laws for path in files for test, laws in walk_file(path)}


def walk_file(path: Path) -> Iterator[tuple[str, set[str]]]:
    """The tests of one file."""
    return walk(ast.parse(path.read_text("utf-8")), set(), name(path))


def test_every_test_names_a_law() -> None:
    assert [test for test, laws in proofs().items() if not laws] == []


def test_no_test_names_a_law_that_does_not_exist() -> None:
    assert {test: laws - IDS for test, laws in proofs().items() if laws - IDS} == {}


def test_every_law_has_a_test_or_a_reason() -> None:
    assert IDS - set[str]().union(*proofs().values()) - LATER.keys() == set()


def test_no_reason_outlives_its_law_being_proved() -> None:
    assert LATER.keys() & set[str]().union(*proofs().values()) == set()
    assert LATER.keys() - IDS == set()


def test_the_laws_and_failures_fit_together() -> None:
    assert len(IDS) == len(LAWS)
    assert {law for failure in FAILURES for law in failure.laws} - IDS == set()


def test_the_laws_are_explained_where_they_say() -> None:
    headings = {
        line.lstrip("# ")
        for line in (ROOT / "docs/design.md").read_text("utf-8").splitlines()
        if line.startswith("## ")
    }
    assert {law.source for law in LAWS} - headings == set()


@pytest.mark.parametrize("laws", [(), ("settle:sometimes",)])
def test_a_law_that_does_not_exist_cannot_be_proved(laws: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"tests/guarantees\.py"):
        proves(*laws)


def test_marks_are_found_wherever_they_stand() -> None:
    source = (
        'pytestmark = [proves("a")]\n'
        'class TestIt:\n    pytestmark = proves("b")\n'
        '    @proves("c", "d")\n    async def test_one(self): ...\n'
        "def test_two(): ...\n"
        "TestMachine = Machine.TestCase\n"
    )
    found = dict(walk(ast.parse(source), set(), "sample"))
    assert found == {
        "sample::TestIt::test_one": {"a", "b", "c", "d"},
        "sample::test_two": {"a"},
        "sample::TestMachine": {"a"},
    }
