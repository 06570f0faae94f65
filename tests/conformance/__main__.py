"""`python -m tests.conformance DIR…`: play recorded scenarios, print what differs, count."""

import argparse
import json
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import anyio

from tests.conformance import core, redis
from tests.conformance.driver import Opener
from tests.conformance.player import Outcome, play
from tests.conformance.scenario import scenarios


@asynccontextmanager
async def stage(on: str, ports: int) -> AsyncGenerator[Opener]:
    """What to play on: the pure machine, or a server of our own."""
    if on == "core":
        yield core.opened
        return
    async with redis.server(ports) as opener:
        yield opener


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, understood."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--ports", type=int, help="doors that take the steps in turn")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what differs there too")
    parser.add_argument(
        "--on", choices=("core", "redis"), help="default: redis if --ports is given"
    )
    parser.add_argument("--only", metavar="NAME", help="only scenarios whose name contains it")
    parser.add_argument("-v", action="store_true", dest="every", help="print every difference")
    return parser.parse_args(arguments)


def lines(outcome: Outcome, *, every: bool) -> list[str]:
    """What differs, a line a place; without `every` only the first three places."""
    shown = outcome.mismatches if every else outcome.mismatches[:3]
    found = [f"FAIL {outcome.scenario.level}/{outcome.scenario.name}"]
    for mismatch in shown:
        where = mismatch.difference.path or "(the answer)"
        found += [
            f"  step {mismatch.step} {mismatch.op} at {where}",
            f"    expected {_shown(mismatch.difference.expected)}",
            f"    got      {_shown(mismatch.difference.got)}",
        ]
    if len(shown) < len(outcome.mismatches):
        found.append(f"  and {len(outcome.mismatches) - len(shown)} more")
    return found


def _shown(value: object) -> str:
    if isinstance(value, dict) and "crashed" in value:
        return str(cast("dict[str, object]", value)["crashed"])
    return json.dumps(value, ensure_ascii=False, default=repr)


def report(outcomes: Sequence[Outcome]) -> list[dict[str, object]]:
    """The same as data: a row a scenario."""
    return [
        {
            "name": outcome.scenario.name,
            "level": outcome.scenario.level,
            "met": outcome.met,
            "departs": outcome.scenario.departs,
            "mismatches": [
                {
                    "step": mismatch.step,
                    "op": mismatch.op,
                    "path": mismatch.difference.path,
                    "expected": mismatch.difference.expected,
                    "got": mismatch.difference.got,
                }
                for mismatch in outcome.mismatches
            ],
        }
        for outcome in outcomes
    ]


async def run(options: argparse.Namespace) -> int:
    """Play, print, count; 1 if anything failed."""
    outcomes: list[Outcome] = []
    on = options.on or ("core" if options.ports is None else "redis")
    async with stage(on, options.ports or 1) as opener:
        for scenario in scenarios(options.directories, options.only):
            outcome = await play(scenario, opener)
            outcomes.append(outcome)
            if not outcome.met:
                sys.stdout.write("\n".join(lines(outcome, every=options.every)) + "\n")
    failed = sum(not outcome.met for outcome in outcomes)
    departing = sum(outcome.scenario.departs is not None for outcome in outcomes)
    if options.json is not None:
        path = anyio.Path(options.json)
        await path.write_text(json.dumps(report(outcomes), indent=1, default=repr), "utf-8")
    sys.stdout.write(
        f"conformance: {len(outcomes) - failed} passed, {failed} failed, "
        f"{departing} with departures, of {len(outcomes)}\n"
    )
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(anyio.run(run, parsed(sys.argv[1:])))
