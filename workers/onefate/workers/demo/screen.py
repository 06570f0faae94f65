"""What the demo shows: one line a turn while it plays, then the transcript and the comparison."""

import json
from collections.abc import Sequence
from typing import NoReturn, cast

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from onefate.workers.demo.compare import Compared
from onefate.workers.demo.play import Played, Transcript

SHOWN_KEYS = (
    "did",
    "effectStatus",
    "outcome",
    "error",
    "reason",
    "judgment",
    "settledBy",
    "youAreOn",
    "toNode",
    "itsWait",
    "pid",
    "data",
)
LONGEST_ANSWER = 200
INDENT = 13


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Leave it to the command line to end when nobody reads."""
        raise BrokenPipeError


class Screen:
    """Writes to a terminal, or plainly to anything else."""

    def __init__(self, *, plain: bool) -> None:
        self._console = _Console(
            no_color=plain or None,
            highlight=False,
            emoji=False,
            width=110 if plain else None,
        )
        self._box = box.ASCII if plain or not self._console.is_terminal else box.ROUNDED

    def step(self, text: str) -> None:
        """Show what is being set up or cleared away."""
        self._console.print(f"[dim]{escape(text)}[/dim]")

    def turn(self, played: Played) -> None:
        """Show one turn as it is done."""
        mark = "[red]no[/red]" if played.faults else "[green]ok[/green]"
        turn, answer = played.turn, escape(brief(played.answer))
        shown = Table.grid()
        shown.add_column(width=INDENT)
        shown.add_column(overflow="fold")
        shown.add_row(f"{mark} [bold]{turn.who:>8}[/bold]", escape(turn.says))
        shown.add_row("", f"[cyan]{escape(turn.what)}[/cyan] {answer}")
        for fault in played.faults:
            shown.add_row("", f"[red]{escape(fault)}[/red]")
        self._console.print(shown)

    def transcript(self, transcript: Transcript) -> None:
        """Show the whole conversation as a table."""
        table = Table(title="The conversation", box=self._box, title_justify="left")
        for column in ("", "through", "turn", "answer"):
            table.add_column(column, overflow="fold")
        for number, played in enumerate(transcript.played, 1):
            turn, answer = played.turn, escape(brief(played.answer))
            table.add_row(str(number), turn.who, escape(turn.what), answer)
        self._console.print(table)

    def comparison(self, rows: Sequence[Compared], ports: Sequence[str]) -> None:
        """Show what each port answers about every id, and whether it is the same."""
        title = f"The same answer from ports {' and '.join(ports)}"
        table = Table(title=title, box=self._box, title_justify="left")
        for column in ("asked about", "id", "answer", "same"):
            table.add_column(column, overflow="fold")
        for row in rows:
            verdict = "[green]yes[/green]" if row.equal else "[red]NO[/red]"
            answers = row.answers[:1] if row.equal else row.answers
            shown = "\n".join(_gist(answer) for answer in answers)
            table.add_row(escape(row.name), escape(row.id), escape(shown), verdict)
        self._console.print(table)

    def verdict(self, faults: Sequence[str], seconds: float) -> None:
        """Show how it all came out."""
        for fault in faults:
            self._console.print(f"[red]not as recorded:[/red] {escape(fault)}")
        if not faults:
            self._console.print(
                f"[green]Every fire has one fate, and every port says the same.[/green] "
                f"({seconds:.1f} s)"
            )


def brief(answer: object) -> str:
    """Give the telling keys of an answer in one line."""
    if answer is None:
        return "-> in flight"
    if not isinstance(answer, dict):
        return f"-> {answer}"
    facts = cast("dict[str, object]", answer)
    shown = ("why",) if "key" in facts else SHOWN_KEYS
    told = {key: facts[key] for key in shown if key in facts} or {"ok": facts.get("ok")}
    return "-> " + ", ".join(f"{key}: {_cut(_text(value))}" for key, value in told.items())


def _gist(answer: str) -> str:
    value: object = json.loads(answer)
    if isinstance(value, list):
        return f"{len(answer)} bytes"
    return brief(value).removeprefix("-> ")


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else json.dumps(value)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_ANSWER else f"{text[:LONGEST_ANSWER]}..."
