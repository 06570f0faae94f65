"""What onefate promises, as data: the laws, the failures they hold through, the mark for tests.

`proves("settle:first-wins")` marks a test, a class or (as `pytestmark`) a module.
tests/layout/test_guarantees.py holds both directions: every test names a law, every law has a test
or stands in `LATER` with its reason.

`render` gives docs/guarantees.md (see tests/pages.py).
"""

from dataclasses import dataclass

import pytest


@dataclass(frozen=True, slots=True)
class Law:
    """One promise: a stable id, the sentence that binds, the section of docs/design.md about it."""

    id: str
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Failure:
    """One way to break, and what stays true: of the fire, for whoever asks, and by which laws."""

    point: str
    fire: str
    answer: str
    laws: tuple[str, ...]


LAWS = (
    Law(
        "settle:first-wins",
        "Of any number of settlers in any number of processes exactly one settles a fire, "
        "atomically. Every other one gets the winner's settlement back and is told that it did "
        "not win.",
        "Fires and settlements",
    ),
    Law(
        "settle:lost-reply",
        "A settler whose reply was lost and who asks again is told that it won, if it did: every "
        "settle carries a token, and the token is stored with the settlement.",
        "Fires and settlements",
    ),
    Law(
        "settle:immutable",
        "A settlement is never rewritten. What happens later is a new row beside it.",
        "Fires and settlements",
    ),
    Law(
        "settle:no-clock",
        "No timer settles a fire, expires a card, closes work or turns waiting into an outcome. A "
        "clock may end a wait; it never makes an answer.",
        "Fires and settlements",
    ),
    Law(
        "wait:never-fails",
        "A wait for a settlement ends with the settlement or with the caller's own cancellation. "
        "Lost connections, failovers and restarts are healed inside.",
        "Wakeups",
    ),
    Law(
        "wait:no-lost-wakeup",
        "A waiter is subscribed before it reads and reads before it waits; after every reconnect "
        "all open ids are read again, and a slow sweep stands behind that. Healed wakeups are "
        "counted.",
        "Wakeups",
    ),
    Law(
        "id:impossible-raises",
        "An id for which no settlement can exist raises at once, by name: it never existed, it "
        "was never a fire, it means two things, or it is forgotten. These are different errors.",
        "Fires and settlements",
    ),
    Law(
        "id:never-reused",
        "An id names one fire for ever, also after a failover in which the server lost "
        "acknowledged writes.",
        "Fires and settlements",
    ),
    Law(
        "answer:three",
        "A question about a fire has three answers: the facts, nothing yet, or an error that "
        "names why there will never be any. One builder serves every door.",
        "Answers",
    ),
    Law(
        "answer:one-truth",
        "Any two ports asked about one id give the same facts, and once any reader was told a "
        "fate nobody is told another.",
        "Answers",
    ),
    Law(
        "answer:absent-not-filled",
        "A key that is not known is absent. Nothing is null-filled, defaulted or guessed.",
        "Answers",
    ),
    Law(
        "tools:bytes-stable",
        "The tool array of a session is the same bytes for its life, on every port and across "
        "deploys. A port built on another map refuses the session by name.",
        "Answers",
    ),
    Law(
        "call:never-waits",
        "A call never waits for a fire or a person and never raises for anything an agent can "
        "send: it answers with a structured result.",
        "Answers",
    ),
    Law(
        "fire:atomic",
        "A fire's gates, record, version, approval spend, single-flight and once receipts and its "
        "work entry commit together or not at all.",
        "One commit",
    ),
    Law(
        "fire:started-once",
        "A handler is started at most once per fire, unless its action declares itself "
        "repeatable: then every attempt gets the fire's id as idempotency key. A worker that dies "
        "leaves the fire open, with the evidence of who started it and when it was last seen.",
        "Work",
    ),
    Law(
        "approve:spent-once",
        "One yes authorizes one fire with exactly the input that was shown, across all processes. "
        "Where a person's approval is required, only a person's door writes a yes.",
        "One commit",
    ),
    Law(
        "store:declared",
        "Every key a script touches is declared and in one slot; every key has a documented "
        "owner, type and life; none leaks.",
        "Keys",
    ),
    Law(
        "store:honest",
        "What the server itself can lose is said: in these pages, by the checks at start, and in "
        "the receipt when a durability level was asked for.",
        "Durability",
    ),
    Law(
        "text:two-classes",
        "Every sentence an agent reads is a constant of this project or the map author's. Runtime "
        "values travel as data, never inside a sentence.",
        "Answers",
    ),
)

LATER: dict[str, str] = {}

FAILURES = (
    Failure(
        "a worker dies before it started the handler",
        "Open and not started. Its work entry is claimed by another worker, which performs it.",
        "Still pending, with the evidence that nobody has started it.",
        ("fire:started-once", "settle:no-clock", "wait:never-fails"),
    ),
    Failure(
        "a worker dies after it started the handler",
        "Open. Nobody starts it a second time, unless its action is repeatable: then the next "
        "attempt carries the same id as idempotency key.",
        "Still pending, with the evidence of who started it and when that worker was last seen.",
        ("fire:started-once", "settle:no-clock", "wait:never-fails"),
    ),
    Failure(
        "the reply to a commit is lost",
        "Recorded with everything that belongs to it, or not at all.",
        "The commit is repeated with its token and answers what the first one did.",
        ("fire:atomic", "approve:spent-once", "settle:lost-reply"),
    ),
    Failure(
        "the reply to a settle is lost",
        "Settled once or still open; never settled twice.",
        "The settle is repeated with its token: who won is told so, who lost gets the winner's "
        "settlement.",
        ("settle:first-wins", "settle:lost-reply", "settle:immutable"),
    ),
    Failure(
        "a connection is cut while waiting",
        "Untouched.",
        "The wait goes on: subscribe again, read every open id again, then wait.",
        ("wait:never-fails", "wait:no-lost-wakeup"),
    ),
    Failure(
        "the server is killed with -9 and started again",
        "What was acknowledged is in the append-only file. Power loss may take the last second or "
        "two in mode `fast`, nothing in `fsync`, everything in `memory`.",
        "Waits heal. Commands in flight have an unknown outcome and are repeated with their token.",
        ("store:honest", "wait:never-fails", "settle:lost-reply", "id:never-reused"),
    ),
    Failure(
        "another server takes over",
        "Writes that were acknowledged and not replicated are gone from the new server; every "
        "process asserts its recent settlements, claims and plain fires again. A different winner, "
        "or a second start, found so is reported as a conflict. A session over a map goes on from "
        "the last decision the new server has: a fire that only the old one knew is gone.",
        "Waits heal. Ids minted after the takeover cannot be ids the old server had given out.",
        ("store:honest", "id:never-reused", "settle:first-wins", "wait:no-lost-wakeup"),
    ),
    Failure(
        "two settlers race",
        "Settled by exactly one.",
        "Both get the same settlement. The loser is told so, and its attempt is kept beside the "
        "receipt.",
        ("settle:first-wins", "settle:immutable", "answer:one-truth"),
    ),
    Failure(
        "a port dies in mid-wait",
        "Untouched: waiting is no part of a fire.",
        "Any other port gives the same tools and the same answer about the same id.",
        ("answer:one-truth", "tools:bytes-stable", "answer:three"),
    ),
)

_BY_ID = {law.id: law for law in LAWS}


def proves(*laws: str) -> pytest.MarkDecorator:
    """Marks what a test proves; a law that does not exist stops the collection."""
    unknown = sorted(set(laws) - _BY_ID.keys())
    if unknown or not laws:
        raise ValueError(f"proves() takes ids of tests/guarantees.py, not {unknown or 'nothing'}")
    return pytest.mark.proves(*laws)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _code(ids: tuple[str, ...]) -> str:
    return ", ".join(f"`{law}`" for law in ids)


def render() -> str:
    """The whole page, the same bytes for the same data."""
    lines = [
        "# Guarantees",
        "",
        "<!-- Written by `make docs` from tests/guarantees.py. -->",
        "",
        "Each law has an id. Every test names the laws it proves, every law has a test, and a test",
        "holds both directions.",
        "`grep -rn settle:first-wins tests` lists what proves one.",
        "",
        "## Laws",
        "",
        _row("id", "law", "explained in"),
        _row("---", "---", "---"),
    ]
    for law in LAWS:
        anchor = law.source.lower().replace(" ", "-")
        lines.append(_row(f"`{law.id}`", law.text, f"[{law.source}](design.md#{anchor})"))
    lines += [
        "",
        "## When something breaks",
        "",
        _row("what breaks", "the fire", "whoever asks", "laws that hold"),
        _row("---", "---", "---", "---"),
    ]
    lines += [_row(f.point, f.fire, f.answer, _code(f.laws)) for f in FAILURES]
    if LATER:
        lines += ["", "## Not proved by a test yet", "", _row("id", "why"), _row("---", "---")]
        lines += [_row(f"`{law}`", reason) for law, reason in LATER.items()]
    return "\n".join(lines) + "\n"
