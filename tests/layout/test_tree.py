"""The shape of the tree: one namespace in three roots, small files, every name documented."""

import ast
import importlib
import inspect
import re
import tomllib

import pytest

from tests.layout.tree import LUA, PACKAGES, ROOT, name, repository_files, sources

FILE_LINES = 400
FUNCTION_LINES = 40
SCRIPT_LINES = range(10, 61)

# Written so that they do not match themselves.
REGISTRY = re.compile(
    rb"pypi\.org|pythonhosted\.org|npmjs\.(org|com)|debian\.org|docker\.io|ghcr\.io|quay\.io"
)
MACHINE_PATH = re.compile(rb"(?<![\w.$}/-])/((root|work|opt)/|(home|Users)/\w\w)")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def body_lines(function: Function) -> int:
    """The lines of a function, its docstring left out."""
    first = function.body[0]
    docstring = 0
    if isinstance(first, ast.Expr) and ast.get_docstring(function) is not None:
        docstring = (first.end_lineno or first.lineno) - first.lineno + 1
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring


def test_no_root_closes_the_namespace() -> None:
    assert [root for root in PACKAGES if (ROOT / root / "onefate/__init__.py").exists()] == []
    assert [root for root in PACKAGES if (ROOT / root / "__init__.py").exists()] == []


@pytest.mark.parametrize("root", PACKAGES)
def test_each_package_is_typed(root: str) -> None:
    assert (ROOT / root / "onefate" / root / "py.typed").exists()


def test_files_are_small() -> None:
    lengths = {name(path): len(path.read_text("utf-8").splitlines()) for path in sources()}
    assert {path: lines for path, lines in lengths.items() if lines > FILE_LINES} == {}


def test_functions_are_small() -> None:
    long = {
        f"{name(path)}:{node.lineno} {node.name}": lines
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, Function) and (lines := body_lines(node)) > FUNCTION_LINES
    }
    assert long == {}


def test_every_module_says_what_it_promises() -> None:
    silent = [
        name(path)
        for path in sources()
        if ast.get_docstring(ast.parse(path.read_text("utf-8"))) is None
    ]
    assert silent == []


def module_name(path: str) -> str:
    """The import name of a source file: everything after its root."""
    return path.split("/", 1)[1].removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def test_every_public_name_is_documented() -> None:
    bare: list[str] = []
    for path in sources():
        if "__all__" not in path.read_text("utf-8"):
            continue
        module = importlib.import_module(module_name(name(path)))
        for symbol in module.__all__:
            value = getattr(module, symbol)
            if (inspect.isclass(value) or inspect.isroutine(value)) and not written_doc(value):
                bare.append(f"{module.__name__}.{symbol}")
    assert bare == []


def written_doc(value: object) -> bool:
    """Whether somebody wrote the docstring: not inherited, not the one a dataclass makes."""
    doc = vars(value).get("__doc__") if inspect.isclass(value) else inspect.getdoc(value)
    return bool(doc) and not str(doc).startswith(f"{getattr(value, '__name__', '')}(")


def test_no_file_names_a_registry_or_a_path_of_one_machine() -> None:
    found = {
        f"{name(path)}: {match.group().decode()}"
        for path in repository_files()
        for pattern in (REGISTRY, MACHINE_PATH)
        for match in pattern.finditer(path.read_bytes())
    }
    assert found == set()


def test_the_changelog_names_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## \[{re.escape(version)}\]", changelog, re.MULTILINE)


def test_each_script_is_one_small_step_with_a_header() -> None:
    wrong: list[str] = []
    for path in sorted(LUA.rglob("*.lua")):
        lines = path.read_text("utf-8").splitlines()
        comment = re.match(r"(--.*\n)*", path.read_text("utf-8"))
        header = comment.group().lower() if comment else ""
        if len(lines) not in SCRIPT_LINES:
            wrong.append(f"{name(path)}: {len(lines)} lines")
        wrong += [
            f"{name(path)}: its header does not say {word}"
            for word in ("keys", "argv", "repl")
            if word not in header
        ]
    assert wrong == []
