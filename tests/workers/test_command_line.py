"""The command line: one sentence for every error, the right code, and no traceback for anybody."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from onefate.broker.errors import Refused
from onefate.broker.ledger.errors import ServerRefused
from onefate.workers.cli import entry
from onefate.workers.cli.app import COMMANDS
from onefate.workers.mapfile import map_file_schema
from tests.guarantees import proves

pytestmark = proves("store:honest")

CLINIC = Path(entry.__file__).parent.parent / "demo" / "clinic.json"
Shown = pytest.CaptureFixture[str]


def fails_with(monkeypatch: pytest.MonkeyPatch, raising: Callable[[], int]) -> None:
    """Let the command line do `raising` instead of a command."""

    def instead(_: object) -> int:
        return raising()

    monkeypatch.setattr(entry, "_run", instead)


def raises(error: BaseException) -> Callable[[], int]:
    def raising() -> int:
        raise error

    return raising


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["sing"], "USAGE", "sing"),
        (["check-map"], "USAGE", "FILE"),
        (["check-map", "nowhere.json"], "BAD_FILE", "nowhere.json"),
        (["doctor", "--durability", "granite"], "USAGE", "granite"),
        (["doctor", "--url", "http://host"], "BAD_SETTING", "redis://host"),
        (["doctor", "--namespace", "no spaces"], "BAD_SETTING", "namespace"),
        (["explain", "one"], "USAGE", "FIRE_ID"),
    ],
)
def test_what_is_refused_is_one_sentence(
    arguments: list[str], code: str, word: str, capsys: Shown
) -> None:
    assert entry.run(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("onefate: ")
    assert shown.err.endswith(f" [{code}]\n")
    assert shown.err.count("\n") == 1
    assert word in shown.err


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (Refused("the door\n is shut"), 2, "onefate: the door is shut [REFUSED]\n"),
        (
            ExceptionGroup("two", [ValueError("x"), ExceptionGroup("in", [Refused("shut")])]),
            2,
            "onefate: shut [REFUSED]\n",
        ),
        (
            ServerRefused("WEIRD", "its own words", "GET"),
            2,
            "onefate: The server refused GET with WEIRD; its own words are in `detail`. (",
        ),
        (PermissionError(13, "Permission denied", "a.log"), 2, "onefate: a.log: Permission denied"),
        (BaseExceptionGroup("both", [KeyboardInterrupt(), ValueError("x")]), 130, ""),
        (KeyboardInterrupt(), 130, ""),
        (SystemExit(3), 3, ""),
        (BrokenPipeError(), 141, ""),
        (ExceptionGroup("one", [Refused("shut"), BrokenPipeError()]), 141, ""),
        (SystemExit("no number"), 2, ""),
        (RuntimeError("lost\nits way"), 70, "onefate: unexpected RuntimeError: lost its way (set"),
    ],
)
def test_every_error_ends_as_its_code(
    error: BaseException,
    status: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    fails_with(monkeypatch, raises(error))
    monkeypatch.setattr(os, "dup2", min)
    assert entry.run([]) == status
    shown = capfd.readouterr().err
    assert shown.startswith(line)
    assert shown == line or line
    assert "Traceback" not in shown


def test_a_developer_may_ask_where_it_happened(
    monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    fails_with(monkeypatch, raises(RuntimeError("lost")))
    monkeypatch.setenv(entry.DEBUG_VARIABLE, "1")
    assert entry.run([]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: Shown) -> None:
    for name in [each for each in sys.modules if each.startswith("onefate.workers.cli.app")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cyclopts", None)
    assert entry.run(["version"]) == 2
    assert "install onefate[cli]. [MISSING_EXTRA]" in capsys.readouterr().err


def test_the_version_is_the_distributions(capsys: Shown) -> None:
    assert entry.run(["version"]) == 0
    assert capsys.readouterr().out.startswith("onefate 0.")


def test_help_names_every_command(capsys: Shown) -> None:
    assert entry.run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "bench"])
def test_every_command_has_help(name: str, capsys: Shown) -> None:
    assert entry.run([name, "--help"]) == 0
    assert f"Usage: onefate {name}" in capsys.readouterr().out


def test_the_command_line_loads_only_what_a_command_needs() -> None:
    heavy = ["redis", "pydantic", "anyio", "rich.table"]
    program = (
        "import sys; from onefate.workers.cli import entry; code = entry.run(['version']); "
        f"print([name for name in {heavy} if name in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, encoding="utf-8"
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_map_that_compiles_is_counted(capsys: Shown) -> None:
    assert entry.run(["check-map", str(CLINIC)]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("clinic: 4 pages, 17 actions, 2 journeys [")
    assert shown.err == ""


def test_keys_that_nothing_reads_are_told_and_ignored(tmp_path: Path, capsys: Shown) -> None:
    take = {"does": "Take", "go_to": "till", "input": {"type": "object", "mine": 1}}
    sources = [{"kind": "routes", "pages": {"help": {"route": "/help", "titel": "Help"}}}]
    pages = {"shelf": {"actions": {"take": take}, "colour": "red"}, "till": {}}
    written = {"pages": pages, "sources": sources, "jurneys": {}}
    file = tmp_path / "map.json"
    file.write_text(json.dumps({"$schema": "x", "id": "m", "deff": 1, "def": written}), "utf-8")
    assert entry.run(["check-map", str(file)]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("m: 3 pages")
    assert [line.partition(" reads it: ")[2] for line in shown.err.splitlines()] == [
        "the file: deff (the nearest is 'def')",
        "the map: jurneys (the nearest is 'journeys')",
        "pages.shelf: colour",
        "pages.shelf.actions.take: go_to (the nearest is 'goTo')",
        "sources[0].pages.help: titel",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "it is not JSON (line 1, column 2)"),
        ("[]", "it must be an object with `id` and `def`"),
        ('{"id": 1, "def": {}}', "`id` must be a text and `def` an object"),
        ("[" * 100_000, "it is nested too deeply"),
    ],
)
def test_a_file_that_is_no_map_file_is_said_so(
    text: str, problem: str, tmp_path: Path, capsys: Shown
) -> None:
    file = tmp_path / "map.json"
    file.write_text(text, encoding="utf-8")
    assert entry.run(["check-map", str(file)]) == 2
    assert capsys.readouterr().err == f"onefate: {file} cannot be used: {problem} [BAD_FILE]\n"


def test_a_map_error_names_the_path_in_one_sentence(tmp_path: Path, capsys: Shown) -> None:
    broken = json.loads(CLINIC.read_text("utf-8"))
    broken["def"]["pages"]["desk"]["actions"]["find-patient"]["goTo"] = "attic"
    file = tmp_path / "map.json"
    file.write_text(json.dumps(broken), encoding="utf-8")
    assert entry.run(["check-map", str(file)]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("onefate: pages.desk.actions.find-patient.goTo: ")
    assert shown.endswith(" [MAP_INVALID]\n")


def test_the_schema_describes_map_files(capsys: Shown) -> None:
    assert entry.run(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema == map_file_schema()
    assert schema["required"] == ["id", "def"]
    assert "$defs" in schema
    assert "$defs" not in schema["properties"]["def"]


def test_stop_says_whether_there_was_a_server(tmp_path: Path, capsys: Shown) -> None:
    where = ["--state-dir", str(tmp_path / "state")]
    assert entry.run(["stop", *where]) == 0
    assert "there was none" in capsys.readouterr().out
    assert entry.run(["doctor", "--url", "embedded:", *where]) == 0
    assert entry.run(["stop", *where]) == 0
    assert capsys.readouterr().out.endswith("stopped\n")


def test_bench_is_handed_its_own_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    module = ModuleType("onefate.workers.bench")

    def main(arguments: Sequence[str]) -> int:
        heard.extend(arguments)
        return 7

    monkeypatch.setattr(module, "main", main, raising=False)
    monkeypatch.setitem(sys.modules, "onefate.workers.bench", module)
    assert entry.run(["bench", "--quick", "10"]) == 7
    assert heard == ["--quick", "10"]
