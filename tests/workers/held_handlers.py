"""Handlers for worker processes under test: one ends when it is told to, one never does."""

import os
from pathlib import Path

import anyio

from onefate.workers import report


def until_told(_: object) -> object:
    """Read a pipe of the test's until it is closed."""
    return Path(os.environ["HELD_BY"]).read_text(encoding="utf-8")


async def never(_: object) -> None:
    await anyio.sleep_forever()


async def find(_: object) -> None:
    await report({"patient.id": "P-1"})


async def move(_: object) -> None:
    """Do nothing: the page changes by itself."""


HANDLERS = {
    "go-to-desk": move,
    "desk.find-patient": find,
    "desk.read-waiting-list": until_told,
    "patient.cover.ask-insurer": never,
}
