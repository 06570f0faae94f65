"""Every error of the distribution, found in its code, and the page that lists them.

`render` gives docs/errors.md (see tests/pages.py).
"""

import importlib
import inspect
import pkgutil
import typing
from collections.abc import Iterable, Iterator
from types import ModuleType

import onefate.broker
import onefate.port
import onefate.workers
from onefate.broker.errors import BadInput, ImpossibleId, OnefateError, Refused, Unavailable

ROOTS: tuple[tuple[type[OnefateError], str], ...] = (
    (BadInput, "The caller broke a rule. Nothing was done; change the call and try again."),
    (Refused, "The store or the configuration says otherwise. Nothing was done."),
    (
        ImpossibleId,
        "No settlement can ever exist under the id. Asking again or waiting changes nothing.",
    ),
    (Unavailable, "Nobody knows yet. What was asked for may or may not have happened."),
)
INTRODUCTION = """\
# Errors

<!-- Written by `make docs` from the code. -->

Everything that onefate raises on purpose descends from `onefate.broker.errors.OnefateError`. Each
class has a stable `code`, which is what programs compare: a port's lines answer it, and the command
line prints it behind the sentence. A sentence says what was wrong and what would be right. Its
parts are attributes of the error, and every error pickles.

What an agent can send to a port's `call` raises none of these: it is answered
([answers.md](answers.md)). Nor is an outcome an error: a fire that failed has a settlement that
says so, and a settler who came second is told so.

Classes are named without their `onefate.`; words in braces are attributes.
"""


class ShownNumber(float):
    """A number that shows its name however it is formatted."""

    name = ""

    def __format__(self, _: str) -> str:
        return f"{{{self.name}}}"

    def __str__(self) -> str:
        return f"{self}"

    __repr__ = __str__


def modules() -> Iterator[ModuleType]:
    """Every module of the three packages."""
    for package in (onefate.broker, onefate.port, onefate.workers):
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)


def every_error() -> list[type[OnefateError]]:
    """Every error class, in the order of their hierarchy and of their code."""
    tuple(modules())

    def below(root: type[OnefateError]) -> Iterator[type[OnefateError]]:
        yield root
        for child in sorted(root.__subclasses__(), key=lambda each: each.code):
            yield from below(child)

    return [each for each in below(OnefateError) if each.__module__.startswith("onefate.")]


def sample(error: type[OnefateError]) -> OnefateError:
    """An instance whose every argument shows the argument's name."""
    hints = typing.get_type_hints(error.__init__)
    parameters = list(inspect.signature(error.__init__).parameters.values())[1:]
    named = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    return error(*(_shown(each.name, hints.get(each.name)) for each in named))


def _shown(name: str, hint: object) -> object:
    if hint is int or hint is float:
        number = ShownNumber(1)
        number.name = name
        return number
    if typing.get_origin(hint) in (tuple, Iterable):
        return (f"{{{name}}}",)
    return f"{{{name}}}"


def attributes(error: type[OnefateError]) -> list[str]:
    """What can be read of an instance, beside its code."""
    return [name for name in vars(sample(error)) if not name.startswith("_")]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _lines(error: type[OnefateError]) -> str:
    about = (inspect.getdoc(error) or "").split("\n", 1)[0]
    says = " ".join(str(sample(error)).split())
    names = ", ".join(f"`{name}`" for name in attributes(error))
    place = f"`{error.__module__.removeprefix('onefate.')}.{error.__name__}`"
    return _row(f"`{error.code}`", place, names, about, says)


def render() -> str:
    """The whole page, the same bytes for the same code."""
    parts = [INTRODUCTION]
    errors = every_error()
    for root, meaning in ROOTS:
        parts += [f"## {root.__name__}", "", meaning, ""]
        parts += [_row("code", "class", "attributes", "means", "says"), _row(*["---"] * 5)]
        parts += [_lines(each) for each in errors if issubclass(each, root)]
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"
