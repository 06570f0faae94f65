"""Errors of the journey map.

BadInput
└── MapError              the map, or an action declared at mount time, is malformed: rule and path
BadInput
└── UnknownPageError      a question about a page the map does not have
"""

from typing import Final, Literal, TypeAlias

from onefate.broker.errors import BadInput
from onefate.broker.journey.nearest import nearest

Rule: TypeAlias = Literal[
    "BLANK_ID",
    "NO_PAGES",
    "BAD_NAME",
    "RESERVED_NAME",
    "NAME_TAKEN",
    "MISPLACED",
    "RENAMED_KEY",
    "WRONG_SHAPE",
    "BLANK_TEXT",
    "UNKNOWN_PAGE",
    "UNKNOWN_STEP",
    "AMBIGUOUS_STEP",
    "EMPTY_FILTER",
    "BAD_FILTER",
    "CONFLICTING_CONDITIONS",
    "BAD_INPUT_CONTRACT",
    "BAD_SOURCE",
    "INCONSISTENT",
]
Step: TypeAlias = str | int
Path: TypeAlias = tuple[Step, ...]

_QUOTED: Final = frozenset(".[]\"' \t\n")


def path_text(path: Path) -> str:
    """A path as people read it: `pages.cart.actions.pay.when["cart.total"].gt`, or `the map`."""
    text = ""
    for step in path:
        if isinstance(step, int) or not step or _QUOTED.intersection(step):
            text += f"[{step!r}]" if isinstance(step, int) else f'["{step}"]'
        else:
            text += f".{step}" if text else step
    return text or "the map"


class MapError(BadInput):
    """A declaration cannot be compiled; nothing was built.

    Attributes:
        rule: the word for what is broken, stable across releases.
        path: the wire keys and list positions that lead to the fault.
        problem: the sentence without the path.
    """

    code = "MAP_INVALID"

    def __init__(self, rule: Rule, path: Path, problem: str) -> None:
        super().__init__(rule, path, problem)
        self.rule = rule
        self.path = path
        self.problem = problem

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.problem}"


class UnknownPageError(BadInput):
    """The map declares no page of this name."""

    code = "UNKNOWN_PAGE"

    def __init__(self, page: str, known: tuple[str, ...]) -> None:
        super().__init__(page, known)
        self.page = page
        self.known = known

    def __str__(self) -> str:
        meant = nearest(self.page, self.known)
        return f"No page is called {self.page!r}{meant}; the map declares {', '.join(self.known)}."
