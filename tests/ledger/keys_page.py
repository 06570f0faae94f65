"""`python -m tests.ledger.keys_page` writes docs/keys.md; `--check` says whether it is current."""

import sys
from pathlib import Path

from onefate.broker.ledger.keys import as_markdown

PAGE = Path(__file__).parents[2] / "docs" / "keys.md"


def main() -> int:
    """Writes or checks the page."""
    if "--check" in sys.argv[1:]:
        return int(PAGE.read_text("utf-8") != as_markdown())
    PAGE.write_text(as_markdown(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
