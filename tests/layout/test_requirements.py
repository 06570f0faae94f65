"""The hashed requirement files hold what pyproject.toml asks for, and install from anywhere."""

import re
import tomllib
from collections.abc import Iterator

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.layout.tree import ROOT

Pins = dict[str, Requirement]

FILES = ("base", "build", "dev", "image")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def entries(file: str) -> Iterator[tuple[Requirement, int]]:
    """Each requirement of a file with the number of its hashes."""
    text = (ROOT / f"requirements/{file}.txt").read_text("utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            requirement, *hashes = re.split(r"\s+--hash=sha256:", line)
            yield Requirement(requirement), len(hashes)


def pins(file: str) -> Pins:
    return {canonicalize_name(requirement.name): requirement for requirement, _ in entries(file)}


def wanted(file: str) -> list[Requirement]:
    """What pyproject.toml asks of one file."""
    extras: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
    groups: dict[str, list[object]] = PROJECT["dependency-groups"]
    build = [str(line) for line in groups["build"]]
    tools = [line for line in groups["dev"] if isinstance(line, str)]
    library: list[str] = PROJECT["project"]["dependencies"]
    asked = {
        "base": library,
        "build": build,
        "image": library + extras["cli"],
        "dev": library + [line for extra in extras.values() for line in extra] + build + tools,
    }[file]
    return [Requirement(line) for line in asked]


@pytest.mark.parametrize("file", FILES)
def test_every_line_is_one_version_with_hashes(file: str) -> None:
    loose = [
        str(requirement)
        for requirement, hashes in entries(file)
        if not hashes or [clause.operator for clause in requirement.specifier] != ["=="]
    ]
    assert loose == []


@pytest.mark.parametrize("file", FILES)
def test_everything_asked_for_is_there_in_a_version_that_fits(file: str) -> None:
    found = pins(file)
    for requirement in wanted(file):
        pin = found[canonicalize_name(requirement.name)]
        (clause,) = pin.specifier
        assert clause.version in requirement.specifier, str(requirement)


def test_the_files_agree_on_versions() -> None:
    dev = pins("dev")
    for file in FILES:
        assert {name: pin.specifier for name, pin in pins(file).items()} == {
            name: dev[name].specifier for name in pins(file)
        }


@pytest.mark.parametrize("file", FILES)
def test_no_file_says_where_packages_come_from(file: str) -> None:
    text = (ROOT / f"requirements/{file}.txt").read_text("utf-8")
    assert re.findall(r"^-.*|\S+://\S+|\s/\S+", text, re.MULTILINE) == []
