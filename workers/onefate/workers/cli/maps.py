"""`onefate schema` and `onefate check-map`."""

import json
import sys
from collections.abc import Sized
from pathlib import Path

from onefate.workers.mapfile import load_map, map_file_schema


def schema() -> None:
    """Print the JSON Schema of a map file, for editors and for checks in a build."""
    sys.stdout.write(json.dumps(map_file_schema(), indent=2) + "\n")


def check_map(file: Path, /) -> None:
    """Say what a map declares; where it cannot be compiled, say where and why.

    Args:
        file: A map file, as `onefate schema` describes it.
    """
    compiled = load_map(file)
    sys.stdout.write(
        f"{compiled.id}: {_count(compiled.pages, 'page')}, {_count(compiled.actions, 'action')}, "
        f"{_count(compiled.journeys, 'journey')} [{compiled.fingerprint}]\n"
    )


def _count(things: Sized, word: str) -> str:
    return f"{len(things)} {word}{'' if len(things) == 1 else 's'}"
