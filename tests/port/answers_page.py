"""docs/answers.md: every key of every answer, from the declared shapes and answer_keys.toml.

`render` gives the page (see tests/pages.py).
"""

import inspect
import re
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, cast

from onefate.broker.session.state import Receipt
from onefate.port import answers

HERE: Final = Path(__file__).parent
WORDS: Final = cast(
    "Mapping[str, dict[str, str]]",
    tomllib.loads((HERE / "answer_keys.toml").read_text(encoding="utf-8")),
)
APPS_OWN: Final = frozenset(
    {"data", "expects", "holds", "input", "threshold", "payload", "produced"}
)
"""Keys whose values are the app's: whatever is in them is not ours to describe."""
_CONDITIONS: Final = re.compile(r"^(.*\.)?(evidence|alreadyTrue|because)\[\]")
_BLOCKED: Final = re.compile(r"^.*\.blockedBecause\.|^blockedBecause\.")
_UNBLOCKED: Final = re.compile(r"^.*\.unblockedBy\[\]\.")
INTRODUCTION: Final = """\
# Answers

<!-- Written by `make docs` from onefate.port.answers and tests/port/answer_keys.toml. -->

A port's `call` answers every tool with one JSON object. A key that is not known is absent: none is
ever null, and none is filled with a default. Words and sentences are fixed; what the app or an
agent said travels as data.

`settled_answer` gives the settled facts alone: what `did_it_work` says about a fire at rest,
without `ok`, `settled`, `did`, `youAreOn`, `lookingAt` and `version`. It gives nothing while the
fire is open. `when_settled` gives the [settlement](#the-settlement). Both raise for an id under
which nothing can ever settle ([errors.md](errors.md)).
"""


def shared(path: str) -> str:
    """The one name of a key that has the same shape in several places."""
    path = _CONDITIONS.sub("condition", path)
    return _UNBLOCKED.sub("unblockedBy[].", _BLOCKED.sub("blockedBecause.", path))


def declared(shape: object, before: str = "") -> Iterator[tuple[str, object]]:
    """Every key path of a TypedDict, and what it is declared to hold."""
    for key, hint in typing.get_type_hints(shape).items():
        path = f"{before}.{key}" if before else key
        yield shared(path), hint
        inner, suffix = (_item(hint), "[]") if typing.get_origin(hint) is list else (hint, "")
        if typing.is_typeddict(inner) and key not in APPS_OWN:
            yield from declared(inner, path + suffix)


def _item(hint: object) -> object:
    return typing.get_args(hint)[0]


def spoken(value: object, before: str = "") -> Iterator[str]:
    """Every key path of an answer."""
    if isinstance(value, dict):
        for key, inner in cast("dict[str, object]", value).items():
            path = f"{before}.{key}" if before else key
            yield shared(path)
            if key not in APPS_OWN:
                yield from spoken(inner, path)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from spoken(item, f"{before}[]")


def shapes() -> tuple[type, ...]:
    """The declared shapes of an answer."""
    return typing.get_args(answers.Answer)


def declared_by_calls() -> dict[str, dict[str, object]]:
    """Key path → shape → what it holds there."""
    found: dict[str, dict[str, object]] = {}
    for shape in shapes():
        for path, hint in declared(shape):
            found.setdefault(path, {})[shape.__name__] = hint
    return found


def declared_by_settlements() -> dict[str, object]:
    """Key path of a settlement → what it holds."""
    return dict(declared(Receipt))


def type_text(*hints: object) -> str:
    """What any of these types holds, in the page's words."""
    words = list(dict.fromkeys(word for hint in hints for word in _type_words(hint)))
    if "anything" in words:
        return "anything"
    fixed = [word for word in words if word.startswith("`") and word != "`true`"]
    if "text" in words and fixed:
        words = [word for word in words if word not in fixed]
    if "`true`" in words and "`false`" in words:
        words = ["yes or no", *(word for word in words if word not in ("`true`", "`false`"))]
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def _type_words(hint: object) -> list[str]:
    plain: dict[object, str] = {
        str: "text",
        int: "whole number",
        bool: "yes or no",
        object: "anything",
    }
    if hint in plain:
        return [plain[hint]]
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return [f"`{str(word).lower() if type(word) is bool else word}`" for word in inner]
    if origin in (typing.Union, types.UnionType):
        return [word for part in inner for word in _type_words(part)]
    if origin is list:
        item = type_text(*inner)
        return ["list" if item == "anything" else f"list of {item}"]
    return ["object" if typing.is_typeddict(hint) or origin is dict else "anything"]


def _type(path: str, hints: list[object]) -> str:
    return WORDS["types"].get(path) or type_text(*hints)


def _shape_names(found: Mapping[str, object]) -> str:
    every = {shape.__name__ for shape in shapes()}
    missing = every - found.keys()
    if len(missing) > 1:
        return ", ".join(found)
    return f"all but {missing.pop()}" if missing else "all"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _call_rows() -> Iterator[str]:
    keys = declared_by_calls()
    for path, when in WORDS["call"].items():
        found = keys.get(path, {})
        names = _shape_names(found) if path.isalpha() else ""
        yield _row(f"`{path}`", _type(path, list(found.values())), names, _when(path, when))


def _when(path: str, when: str) -> str:
    reason = WORDS["unseen"].get(path)
    return when if reason is None else f"{when}. Never said by a port: {reason}"


def _shape_rows() -> Iterator[str]:
    for shape in shapes():
        about = (inspect.getdoc(shape) or "").split("\n", 1)[0]
        keys: frozenset[str] = getattr(shape, "__required_keys__", frozenset())
        order = [key for key in typing.get_type_hints(shape) if key in keys]
        yield _row(f"`{shape.__name__}`", about, ", ".join(f"`{key}`" for key in order))


def render() -> str:
    """The whole page, the same bytes for the same code and words."""
    settled = declared_by_settlements()
    keys = declared_by_calls()
    lines = [
        INTRODUCTION.rstrip(),
        "",
        "## Shapes",
        "",
        _row("shape", "what it says", "always has"),
        _row(*["---"] * 3),
        *_shape_rows(),
        "",
        "## Keys",
        "",
        _row("key", "type", "shapes", "when it is there"),
        _row(*["---"] * 4),
        *_call_rows(),
        "",
        "## Judgments",
        "",
        _row("judgment", "what it says"),
        _row(*["---"] * 2),
        *(_row(f"`{word}`", says) for word, says in WORDS["judgment"].items()),
        "",
        "## Reasons",
        "",
        _row("reason", "what it says"),
        _row(*["---"] * 2),
        *(_row(f"`{word}`", _when(word, says)) for word, says in WORDS["reason"].items()),
        "",
        "## Objects in several places",
        "",
        "A condition is an item of `evidence`, `alreadyTrue` and `receipts.because`; it has all of",
        "its keys.",
        "",
        _row("key", "type", "what it is"),
        _row(*["---"] * 3),
        *(
            _row(f"`{path}`", _type(path, list(keys.get(path, {}).values())), when)
            for path, when in WORDS["shared"].items()
        ),
        "",
        "## The settlement",
        "",
        "What `when_settled` gives: written once, never rewritten.",
        "",
        _row("key", "type", "when it is there"),
        _row(*["---"] * 3),
        *(
            _row(f"`{path}`", _type(path, hints), _when(path, when))
            for path, when in WORDS["settlement"].items()
            for hints in [[settled[path]] if path in settled else []]
        ),
    ]
    return "\n".join(lines) + "\n"
