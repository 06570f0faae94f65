"""One truth from both ports: each is asked about every id, and the answers laid side by side."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from onefate.port.lines import LinesClient
from onefate.workers.demo.play import Stage, Transcript


@dataclass(frozen=True, slots=True)
class Compared:
    """What the ports say about one thing, in canonical text."""

    name: str
    id: str
    answers: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Say whether every port gave the same bytes."""
        return len(set(self.answers)) == 1


async def compare(transcript: Transcript, stage: Stage, ports: Sequence[str]) -> Sequence[Compared]:
    """Ask every port for its tools and about every id of the conversation."""
    clients = [stage.port(name) for name in ports]
    tools = tuple([canonical(await client.tools()) for client in clients])
    rows = [Compared("the tool array", "tools", tools)]
    for name, known in transcript.ids.items():
        ask = partial(_about_card, stage) if name in transcript.cards else _about_fire
        answers = [canonical(await ask(client, known)) for client in clients]
        rows.append(Compared(name, known, tuple(answers)))
    return rows


async def _about_fire(client: LinesClient, known: str) -> object:
    return await client.settled_answer(known)


async def _about_card(stage: Stage, client: LinesClient, known: str) -> object:
    return await client.call(stage.tool("did_it_work"), {"transitionId": known})


def canonical(value: object) -> str:
    """Write a JSON value so that equal values are equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
