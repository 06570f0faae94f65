"""Playing a conversation: each turn is performed on a stage, and held to what it expects.

The stage is where the processes are: ports, which can be killed and replaced. The doors are those
of an outside source and of a person.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, assert_never

import anyio
import anyio.lowlevel

from onefate.port.lines import LinesClient
from onefate.port.lines.errors import PortGone
from onefate.workers.demo.errors import TurnTimedOut
from onefate.workers.demo.turns import (
    Approved,
    Call,
    Event,
    KilledWaiting,
    Question,
    Reported,
    Restarted,
    StillOpen,
    Turn,
    Wait,
    differences,
)

PATIENCE_SECONDS = 8.0

Facts: TypeAlias = Mapping[str, object]
Outcome: TypeAlias = tuple[object, Sequence[str]]
"""What came back, and what was not as expected."""


class Stage(Protocol):
    """Where a conversation is played."""

    def port(self, name: str) -> LinesClient:
        """Give the port of that name."""
        ...

    def tool(self, short: str) -> str:
        """Give a tool's whole name."""
        ...

    async def kill_port(self, name: str) -> int:
        """Kill the port's process with SIGKILL; give its pid."""
        ...

    async def restart_port(self, name: str) -> int:
        """Start a new process in the port's place; give its pid."""
        ...


class Doors(Protocol):
    """What others than the agent do to the session."""

    async def report(self, fire_id: str, source: str, status: str, evidence: str) -> Facts:
        """Say from outside how a fire came to rest."""
        ...

    async def approve(self, ask_id: str, by: str) -> Facts:
        """Answer a card with yes, as a person."""
        ...


@dataclass(frozen=True, slots=True)
class Played:
    """One turn as it went: what came back, and what was not as expected."""

    turn: Turn
    answer: object
    faults: tuple[str, ...]


@dataclass(slots=True)
class Transcript:
    """A conversation as it went."""

    played: list[Played] = field(default_factory=list[Played])
    ids: dict[str, str] = field(default_factory=dict[str, str])
    """Transition ids and ask ids by the names the conversation gave them, in order."""
    cards: set[str] = field(default_factory=set[str])

    @property
    def faults(self) -> Sequence[str]:
        """Give everything that was not as expected, in order."""
        return [f"{played.turn.says} {fault}" for played in self.played for fault in played.faults]


async def play(
    conversation: Sequence[Turn], stage: Stage, doors: Doors, told: Callable[[Played], None]
) -> Transcript:
    """Play every turn in order; `told` hears each as it is done.

    Raises:
        TurnTimedOut: an answer did not come within the patience of the demo.
        OnefateError: a door refused what a turn depends on.
    """
    transcript = Transcript()
    for turn in conversation:
        answer, faults = await _perform(turn, stage, doors, transcript)
        transcript.played.append(Played(turn, answer, tuple(faults)))
        told(transcript.played[-1])
    return transcript


async def _perform(turn: Turn, stage: Stage, doors: Doors, transcript: Transcript) -> Outcome:
    async with _patience(turn.says):
        if isinstance(turn, Call | Wait | StillOpen):
            return await _ask(turn, stage, transcript)
        return await _happen(turn, stage, doors, transcript)


async def _ask(turn: Question, stage: Stage, transcript: Transcript) -> Outcome:
    port = stage.port(turn.via)
    match turn:
        case Call():
            return await _call(turn, stage, transcript)
        case Wait():
            receipt = await port.when_settled(transcript.ids[turn.fire])
            facts = await port.settled_answer(transcript.ids[turn.fire])
            told = {key: receipt[key] for key in ("effectStatus", "outcome")}
            return facts, [*differences(told, facts), *differences(turn.expect, facts)]
        case StillOpen():
            known = await port.settled_answer(transcript.ids[turn.fire])
            return known, differences(None, known)
        case _:
            assert_never(turn)


async def _happen(turn: Event, stage: Stage, doors: Doors, transcript: Transcript) -> Outcome:
    match turn:
        case KilledWaiting():
            return await _kill(turn, stage, transcript)
        case Restarted():
            return {"pid": await stage.restart_port(turn.port)}, ()
        case Reported():
            fire = transcript.ids[turn.fire]
            answer = await doors.report(fire, turn.source, turn.status, turn.evidence)
            return answer, differences({"ok": True, "settled": True}, answer)
        case Approved():
            answer = await doors.approve(transcript.ids[turn.card], turn.by)
            return answer, differences({"ok": True}, answer)
        case _:
            assert_never(turn)


async def _call(turn: Call, stage: Stage, transcript: Transcript) -> Outcome:
    answer = await stage.port(turn.via).call(stage.tool(turn.tool), turn.args)
    faults = differences(turn.expect, answer)
    for name, key in ((turn.fire, "transitionId"), (turn.card, "askId")):
        if name is None:
            continue
        minted = answer.get(key)
        if isinstance(minted, str):
            transcript.ids[name] = minted
        else:
            faults.append(f"{key} is absent")
    if turn.card is not None:
        transcript.cards.add(turn.card)
    return answer, faults


async def _kill(turn: KilledWaiting, stage: Stage, transcript: Transcript) -> Outcome:
    port = stage.port(turn.port)
    ended: list[str] = []
    pid = 0

    async def wait() -> None:
        try:
            await port.when_settled(transcript.ids[turn.fire])
        except PortGone as gone:
            ended.append(gone.code)

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        await anyio.lowlevel.checkpoint()
        await port.tools()
        pid = await stage.kill_port(turn.port)
    return {"killed": pid, "itsWait": "".join(ended)}, differences(["PORT_GONE"], ended)


@asynccontextmanager
async def _patience(says: str) -> AsyncGenerator[None, None]:
    try:
        with anyio.fail_after(PATIENCE_SECONDS):
            yield
    except TimeoutError:
        raise TurnTimedOut(says, PATIENCE_SECONDS) from None
