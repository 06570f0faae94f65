"""`onefate schema` and `onefate check-map`."""

import json
import sys
from collections.abc import Sized
from pathlib import Path

from onefate.workers.mapfile import ignored_keys, map_file_schema, map_of, read_file


def schema() -> None:
    """Print the JSON Schema of a map file, for editors and for checks in a build."""
    sys.stdout.write(json.dumps(map_file_schema(), indent=2) + "\n")


def check_map(file: Path, /) -> None:
    """Say what a map declares; where it cannot be compiled, say where and why.

    Keys that nothing reads are ignored, and told on the standard error.

    Args:
        file: A map file, as `onefate schema` describes it.
    """
    written = read_file(file)
    compiled = map_of(written, str(file))
    for ignored in ignored_keys(written, str(file)):
        sys.stderr.write(f"onefate: ignored, as nothing reads it: {ignored}\n")
    sys.stdout.write(
        f"{compiled.id}: {_count(compiled.pages, 'page')}, {_count(compiled.actions, 'action')}, "
        f"{_count(compiled.journeys, 'journey')} [{compiled.fingerprint}]\n"
    )


def _count(things: Sized, word: str) -> str:
    return f"{len(things)} {word}{'' if len(things) == 1 else 's'}"
