"""Random commands on a shop's session, as data: played on a server, judged by the core alone.

A command is a row of JSON; `decision` gives the pure function it stands for. So what processes did
can be written down, put into its serial order, and done again on the machine in memory.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import cast

from onefate.broker.errors import OnefateError
from onefate.broker.ledger.ids import EPOCH
from onefate.broker.session import approval, outcomes, structure
from onefate.broker.session.draft import Draft
from onefate.broker.session.memory import Memory
from onefate.broker.session.motion import sync
from onefate.broker.session.options import SessionOptions
from onefate.broker.session.registry import register_handlers
from onefate.broker.session.report import update_state
from onefate.port import Port, call, settled_facts
from tests.door.world import OPTIONS, SHOP

Wire = dict[str, object]
ACTIONS = ("till.look", "till.count", "till.weigh", "till.open", "till.close-day", "till.refund",
           "till.to-stock", "stock.take", "stock.to-till")  # fmt: skip
KEYS = ("counted", "weight", "refunded", "taken")
PORT = Port(SHOP, SessionOptions.read(OPTIONS, SHOP))


@dataclass(frozen=True, slots=True)
class Entry:
    """One command that was decided: where it stands, when it was made, what was answered."""

    revision: int
    wrote: bool
    now: int
    command: Wire
    answer: object

    @classmethod
    def read(cls, row: Sequence[object]) -> "Entry":
        """Read the JSON form."""
        revision, wrote, now, command, answer = row
        return cls(
            cast("int", revision), cast("bool", wrote), cast("int", now),
            cast("Wire", command), answer,
        )  # fmt: skip


def plain(value: object) -> object:
    """The value as JSON holds it."""
    return json.loads(json.dumps(value))


def decision(command: Mapping[str, object]) -> Callable[[Draft], object]:
    """The pure function a command stands for; what it raises on purpose is its answer."""
    make = _COMMANDS[str(command["do"])]

    def decide(draft: Draft) -> object:
        return make(draft, command)

    return decide


def answered(error: OnefateError) -> Wire:
    """How an error of ours is written down."""
    return {"raises": error.code}


def _call(draft: Draft, command: Mapping[str, object]) -> object:
    return call(draft, PORT, str(command["tool"]), command["args"])


def _report(draft: Draft, command: Mapping[str, object]) -> object:
    fire = command.get("id")
    delta = cast("Wire", command["delta"])
    return update_state(draft, delta, transition_id=str(fire) if fire else None)


def _observe(draft: Draft, command: Mapping[str, object]) -> object:
    report: Wire = {"source": "audit", "status": command["status"]}
    return outcomes.observe_effect(draft, str(command["id"]), report)


def _reject(draft: Draft, command: Mapping[str, object]) -> object:
    outcomes.reject(draft, str(command["id"]))
    return None


def _returned(draft: Draft, command: Mapping[str, object]) -> object:
    outcomes.handler_returned(draft, str(command["id"]), command["value"])
    return None


def _approve(draft: Draft, command: Mapping[str, object]) -> object:
    door = approval.approve_ask if command["yes"] else approval.decline_ask
    return door(draft, str(command["id"]), by="Kim")


def _sync(draft: Draft, command: Mapping[str, object]) -> object:
    return sync(draft, str(command["page"]))


def _facts(draft: Draft, command: Mapping[str, object]) -> object:
    return settled_facts(draft, str(command["id"]))


def _wire(draft: Draft, command: Mapping[str, object]) -> object:
    del command
    register_handlers(draft, "app", ACTIONS, queue="nobody")
    structure.flush_structure(draft)
    return None


_COMMANDS: dict[str, Callable[[Draft, Mapping[str, object]], object]] = {
    "wire": _wire,
    "call": _call,
    "report": _report,
    "observe": _observe,
    "reject": _reject,
    "returned": _returned,
    "answer": _approve,
    "sync": _sync,
    "facts": _facts,
}
WIRE: Wire = {"do": "wire"}


class Chance:
    """A port that does whatever occurs to it, with what it has heard of."""

    def __init__(self, seed: int) -> None:
        self._dice = Random(seed)  # noqa: S311 - chance for a test
        self._fires: list[str] = ["till.look#0"]
        self._asks: list[str] = ["ask#1"]

    def next(self) -> Wire:
        """Think of a command."""
        return self._dice.choices(
            (self._fire, self._ask, self._report, self._settle, self._answer, self._move),
            weights=(6, 4, 3, 4, 1, 1),
        )[0]()

    def hear(self, answer: object) -> None:
        """Take note of the ids in an answer."""
        if isinstance(answer, dict):
            told = cast("Wire", answer)
            if "transitionId" in told:
                self._fires.append(str(told["transitionId"]))
            if "askId" in told:
                self._asks.append(str(told["askId"]))

    def _fire(self) -> Wire:
        dice = self._dice
        arguments: Wire = {"action": dice.choice(ACTIONS), "confirm": dice.random() < 0.6}
        if dice.random() < 0.5:
            arguments["input"] = {"n": dice.randrange(3)}
        return {"do": "call", "tool": "shop.do_action", "args": arguments}

    def _ask(self) -> Wire:
        dice = self._dice
        if dice.random() < 0.2:
            return {"do": "call", "tool": "shop.whats_here", "args": {}}
        if dice.random() < 0.4:
            return {"do": "facts", "id": dice.choice(self._fires[-30:])}
        arguments: Wire = {"transitionId": dice.choice([*self._fires[-30:], *self._asks[-3:]])}
        return {"do": "call", "tool": "shop.did_it_work", "args": arguments}

    def _report(self) -> Wire:
        dice = self._dice
        command: Wire = {"do": "report", "delta": {dice.choice(KEYS): dice.randrange(100)}}
        if dice.random() < 0.5:
            command["id"] = dice.choice(self._fires[-10:])
        return command

    def _settle(self) -> Wire:
        dice = self._dice
        fire = dice.choice(self._fires[-10:])
        commands: tuple[Wire, ...] = (
            {"do": "returned", "id": fire, "value": {"n": dice.randrange(9)}},
            {"do": "returned", "id": fire, "value": {"ok": False, "error": "jammed"}},
            {"do": "observe", "id": fire, "status": dice.choice(("performed", "refused"))},
            {"do": "reject", "id": fire},
        )
        return dice.choice(commands)

    def _answer(self) -> Wire:
        dice = self._dice
        return {"do": "answer", "id": dice.choice(self._asks), "yes": dice.random() < 0.7}

    def _move(self) -> Wire:
        return {"do": "sync", "page": self._dice.choice(("till", "stock"))}


def replayed(entries: Sequence[Entry]) -> list[tuple[Entry, object]]:
    """Do everything again in its serial order on the machine alone; what it answers otherwise.

    A command that wrote stands at its own revision, one that only read after the one it read.
    """
    memory = Memory(SHOP, OPTIONS)
    wrong: list[tuple[Entry, object]] = []
    for entry in sorted(entries, key=lambda one: (one.revision, not one.wrote)):
        memory.now, memory.epoch = entry.now, entry.revision // EPOCH
        try:
            answer = plain(memory.decide(decision(entry.command)))
        except OnefateError as error:
            answer = answered(error)
        if answer != entry.answer:
            wrong.append((entry, answer))
    return wrong
