"""A served port: the pure calls over a session's door, and what is known of fires in flight."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import anyio
import anyio.lowlevel
import pytest

from onefate.broker.errors import Forgotten, ImpossibleId, NeverExisted, WasAsk, WasStimulus
from onefate.broker.journey import JourneyMap
from onefate.broker.session import outcomes, structure
from onefate.broker.session.draft import Draft
from onefate.broker.session.memory import Memory
from onefate.broker.session.options import SessionOptions
from onefate.broker.session.registry import register_handlers
from onefate.broker.session.settle import settlement_if_known
from onefate.broker.session.state import Receipt
from onefate.port import (
    JourneyToolsPort,
    JourneyToolsPortWithSettlement,
    PortOptions,
    ServedPort,
    serve_to_agent,
    settled_facts,
)
from tests.guarantees import proves
from tests.port.stage import MAP

T = TypeVar("T")


class Door:
    """A session in memory whose waits are woken by every decision."""

    def __init__(self, **session: object) -> None:
        self.memory = Memory(MAP, {"state": {"x": 0}, **session})
        self.moved = anyio.Event()
        self.known: Mapping[str, object] | None = {"attempt": 1}
        self.memory.decide(lambda draft: register_handlers(draft, "app", ["a.n", "a.w", "a.pay"]))

    @property
    def map(self) -> JourneyMap:
        return self.memory.map

    @property
    def options(self) -> SessionOptions:
        return self.memory.options

    @property
    def largest_input(self) -> int:
        return 1000

    async def decide(self, decision: Callable[[Draft], T], /) -> T:
        answer = self.memory.decide(decision)
        self.moved.set()
        self.moved = anyio.Event()
        return answer

    async def when_settled(self, transition_id: str) -> Receipt:
        while True:
            receipt = settlement_if_known(self.memory.draft(), transition_id)
            if receipt is not None:
                return receipt
            await self.moved.wait()

    async def in_flight(self, transition_id: str) -> Mapping[str, object] | None:
        if self.known is None:
            raise NeverExisted(transition_id)
        return {**self.known, "id": transition_id} if self.known else None


@proves("answer:three", "wait:never-fails")
async def test_the_two_settlement_doors_tell_one_truth() -> None:
    port = ServedPort(door := Door())
    fired = await port.call("g.do_action", {"action": "n"})
    fire = str(fired["transitionId"])
    assert await port.settled_answer(fire) is None
    heard: list[Receipt] = []
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:

            async def wait() -> None:
                heard.append(await port.when_settled(fire))

            group.start_soon(wait)
            await anyio.lowlevel.checkpoint()
            await door.decide(lambda draft: outcomes.handler_returned(draft, fire, {"hits": [1]}))
    assert heard[0]["effectStatus"] == "performed"
    facts = await port.settled_answer(fire)
    assert facts is not None
    told = await port.call("g.did_it_work", {"transitionId": fire})
    envelope = {"ok", "settled", "did", "youAreOn", "version"}
    assert {key: value for key, value in told.items() if key not in envelope} == facts


@proves("id:impossible-raises")
@pytest.mark.parametrize("asked", ["a.n#7", "ask#1", "", "a.n", "\ud800"])
async def test_an_id_that_no_fire_can_have_raises_at_both_doors(asked: str) -> None:
    port = ServedPort(Door())
    with pytest.raises(ImpossibleId):
        await port.settled_answer(asked)
    with pytest.raises(ImpossibleId):
        await port.when_settled(asked)


@proves("fire:started-once", "answer:absent-not-filled")
async def test_evidence_rides_on_a_pending_answer_only_where_something_is_known() -> None:
    port = ServedPort(door := Door())
    asked = await port.call("g.do_action", {"action": "pay"})
    fired = await port.call("g.do_action", {"action": "pay", "confirm": True})
    fire = fired["transitionId"]
    assert "evidence" not in fired
    for name in (fire, asked["askId"]):
        told = await port.call("g.did_it_work", {"transitionId": name})
        assert told["evidence"] == {"attempt": 1, "id": fire}
    unknown: tuple[Mapping[str, object] | None, ...] = ({}, None)
    for door.known in unknown:
        told = await port.call("g.did_it_work", {"transitionId": fire})
        assert "evidence" not in told


@proves("answer:one-truth")
async def test_what_a_caller_does_to_an_answer_stays_with_the_caller() -> None:
    port = ServedPort(door := Door())
    fired = await port.call("g.do_action", {"action": "n"})
    fire = str(fired["transitionId"])
    await door.decide(lambda draft: outcomes.handler_returned(draft, fire, {"hits": [1]}))
    first = await port.settled_answer(fire)
    assert first is not None
    data = first.get("data")
    assert isinstance(data, dict)
    data.clear()
    assert (await port.settled_answer(fire)) == settled_facts(door.memory.draft(), fire)
    assert (await port.settled_answer(fire)) != first


@proves("tools:bytes-stable")
async def test_a_served_port_is_a_port_with_settlement() -> None:
    port = serve_to_agent(Door(requireHumanApproval=True), {"journeyTools": "single"})
    assert isinstance(port, JourneyToolsPort)
    assert isinstance(port, JourneyToolsPortWithSettlement)
    assert port.tools() == port.tools()
    assert port.tools()[0]["name"] == "g.journey"


@proves("approve:spent-once")
async def test_a_port_that_enforcement_does_not_bind_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    door = Door(requireHumanApproval=True)
    ServedPort(door)
    assert caplog.records == []
    ServedPort(door, PortOptions(source="user"))
    (record,) = caplog.records
    assert "approval" in record.getMessage()


@proves("id:impossible-raises", "answer:three")
async def test_what_was_never_fired_and_what_is_forgotten_are_told_apart() -> None:
    port = ServedPort(door := Door(requireHumanApproval=True))
    await door.decide(structure.flush_structure)
    asked = await port.call("g.do_action", {"action": "pay"})
    fired = await port.call("g.do_action", {"action": "n"})
    fire = str(fired["transitionId"])
    await door.decide(lambda draft: outcomes.handler_returned(draft, fire, "pong"))
    expected: dict[str, type[ImpossibleId]] = {
        "a.n#77": NeverExisted,
        "stimulus:structure-swap#0": WasStimulus,
        str(asked["askId"]): WasAsk,
        fire: Forgotten,
    }
    tables = door.memory.snapshot.tables
    tables["rows"].pop("1")
    with pytest.raises(Forgotten):
        await port.settled_answer(fire)
    tables["receipts"].clear()
    for name, error in expected.items():
        with pytest.raises(error):
            await port.settled_answer(name)
    told = await port.call("g.did_it_work", {"transitionId": fire})
    assert told["reason"] == "FORGOTTEN_TRANSITION"
    never = await port.call("g.did_it_work", {"transitionId": "a.n#77"})
    assert never["reason"] == "UNKNOWN_TRANSITION"


@proves("answer:one-truth")
async def test_a_settled_call_folds_through_the_port() -> None:
    port = ServedPort(door := Door())
    fired = await port.call("g.do_action", {"action": "n"})
    fire = str(fired["transitionId"])
    await door.decide(lambda draft: outcomes.handler_returned(draft, fire, "pong"))
    told = await port.fold(fired)
    assert told["data"] == "pong"
    assert "settleWith" not in told
