"""The pages of docs/ that are written from the code, each by one function.

`python -m tests.pages` writes them; with `--check` it only says which are not current.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from onefate.broker.ledger import keys
from tests import errors, guarantees, life
from tests.port import answers_page

DOCS: Final = Path(__file__).parent.parent / "docs"
PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "answers.md": answers_page.render,
    "errors.md": errors.render,
    "guarantees.md": guarantees.render,
    "keys.md": keys.as_markdown,
    "life.md": life.render,
}


def stale(docs: Path = DOCS) -> Sequence[str]:
    """The pages that are missing, or that say something else than the code."""
    return [
        name
        for name, render in PAGES.items()
        if not (docs / name).exists() or (docs / name).read_text(encoding="utf-8") != render()
    ]


def main(arguments: Sequence[str], docs: Path = DOCS) -> int:
    """Writes every page, or with `--check` answers 1 if one is not current."""
    if list(arguments) == ["--check"]:
        for name in (found := stale(docs)):
            sys.stderr.write(f"docs/{name} is not current: run 'make docs'.\n")
        return int(bool(found))
    for name, render in PAGES.items():
        (docs / name).write_text(render(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
