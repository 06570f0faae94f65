"""The page about the life of a fire, drawn from the machine's own tables.

`render` gives docs/life.md (see tests/pages.py).
"""

from onefate.broker.session.life import MOVES, SETTLES, Stand

STANDS: dict[Stand, str] = {
    "waiting": "It was recorded and waits for a report, or for its handler's end.",
    "unobserved": "It was committed, and nothing observed its effect.",
    "reported": "It was committed, and a report of the app backs it.",
    "undone": "It was rejected, rolled back or superseded.",
}
INTRODUCTION = """\
# The life of a fire

<!-- Written by `make docs` from onefate.broker.session.life. -->

A fire stands somewhere from the moment it is recorded: its row says where. It is open until the
first settling event writes its settlement; what happens afterwards moves the row, never the
settlement, and an answer then has `outcomeNow` or `later` beside it. No timer is an event.
"""


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _after(stand: Stand, event: str, outcome: str) -> str:
    if outcome != "committed":
        return "undone"
    return "reported" if (stand, event) == ("waiting", "reported") else "unobserved"


def render() -> str:
    """The page."""
    lines = [INTRODUCTION, "```mermaid", "stateDiagram-v2", "    [*] --> waiting: declares writes"]
    lines.append("    [*] --> unobserved: declares none")
    for (stand, event), outcome in MOVES.items():
        target = _after(stand, event, outcome)
        lines.append(f"    {stand} --> {target}: {event} ({outcome})")
    lines += ["```", "", _row("stand", "what it means"), _row("---", "---")]
    lines += [_row(f"`{stand}`", meaning) for stand, meaning in STANDS.items()]
    lines += ["", "What each event makes of an open fire:", ""]
    lines += [_row("event", "settlement"), _row("---", "---")]
    lines += [_row(f"`{event}`", f"`{status}`") for event, status in SETTLES.items()]
    lines += [
        "",
        "A fire for which nothing of ours will run and no report is awaited is born settled, as",
        "`unobservable`. A check of the app (`verify`) that fails turns `reported` and `completed`",
        "into `failed`; it cannot undo a commit that a report backs.",
    ]
    return "\n".join(lines) + "\n"
