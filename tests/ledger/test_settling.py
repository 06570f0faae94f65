from dataclasses import replace

import anyio
import pytest

from onefate.broker import Broker, Json, Settled, performed, refused, unobservable
from onefate.broker.errors import BadInput
from onefate.broker.ledger.faults import TokenReused
from tests.guarantees import proves

pytestmark = proves("settle:first-wins")


async def test_a_performed_fire_gives_its_receipt_to_everybody(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay", {"amount": 3})
    settled = await ledger.settle(fire.id, performed({"paid": True}), by="w1")
    assert settled.won
    assert settled.settlement.status == "performed"
    assert settled.settlement.data == {"paid": True}
    assert await broker.ledger("s").settlement_if_known(fire.id) == settled.settlement


async def test_of_many_settlers_at_once_exactly_one_wins(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    answers: list[Settled] = []

    async def settler(index: int) -> None:
        answers.append(await ledger.settle(fire.id, performed(index), by=f"w{index}"))

    async with anyio.create_task_group() as group:
        for index in range(50):
            group.start_soon(settler, index)
    assert sum(answer.won for answer in answers) == 1
    assert len({answer.settlement.by for answer in answers}) == 1
    life = await ledger.explain(fire.id)
    losers = [each for each in life.happenings if each.kind == "lost"]
    assert len(losers) == 49
    assert {each.by for each in losers} | {answers[0].settlement.by} == {
        f"w{index}" for index in range(50)
    }


@proves("settle:lost-reply")
async def test_the_same_token_is_told_the_same_again(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    first = await ledger.settle(fire.id, performed(1), by="w1", token="t-1")
    assert await ledger.settle(fire.id, performed(1), by="w1", token="t-1") == first
    lost = await ledger.settle(fire.id, performed(2), by="w2", token="t-2")
    assert await ledger.settle(fire.id, performed(2), by="w2", token="t-2") == lost
    assert not lost.won
    life = await ledger.explain(fire.id)
    assert [each.kind for each in life.happenings].count("lost") == 1


@proves("settle:immutable")
async def test_what_comes_later_stands_beside_the_receipt(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    first = await ledger.settle(fire.id, refused("card declined"), by="w1")
    seen = await ledger.observe(
        fire.id, source="bank", status="performed", evidence_ref={"charge": "ch_1"}
    )
    await ledger.note(fire.id, {"reversed": True}, by="bank")
    assert not seen.won
    assert await ledger.settlement_if_known(fire.id) == first.settlement
    kinds = [each.kind for each in (await ledger.explain(fire.id)).happenings]
    assert kinds == ["recorded", "settled", "observed", "noted"]


async def test_an_observation_settles_an_open_fire(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    seen = await ledger.observe(
        fire.id, source="bank", status="performed", evidence_ref={"charge": "ch_1"}
    )
    assert seen.won
    assert seen.settlement.by == "bank"
    assert seen.settlement.evidence == {"charge": "ch_1"}


@proves("answer:absent-not-filled")
async def test_an_envelope_has_only_what_was_said(broker: Broker) -> None:
    ledger = broker.ledger("s")
    one = await ledger.record("a")
    two = await ledger.record("b")
    said_nothing = await ledger.settle(one.id, performed(), by="w")
    assert said_nothing.settlement.envelope == {}
    nobody_knows = await ledger.settle(two.id, unobservable("left the page"), by="w")
    assert nobody_knows.settlement.envelope == {"reason": "left the page"}


@proves("settle:no-clock")
async def test_an_open_fire_has_no_time_to_live_and_its_receipt_has(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("stays-open", {"x": 1})
    assert [each.id for each in await ledger.awaiting()] == [fire.id]
    assert await ledger.settlement_if_known(fire.id) is None


@proves("fire:atomic")
async def test_a_callers_token_records_one_fire(broker: Broker) -> None:
    ledger = broker.ledger("s")
    first = await ledger.record("pay", {"n": 1}, token="order-1")
    again = await broker.ledger("s").record("pay", {"n": 1}, token="order-1")
    assert replace(again, kept=None) == replace(first, kept=None)
    with pytest.raises(TokenReused):
        await ledger.record("pay", {"n": 2}, token="order-1")
    assert [each.id for each in await ledger.awaiting()] == [first.id]


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (float("nan"), "NOT_JSON"),
        ("\ud800", "NOT_JSON"),
        ({"x": [float("inf")]}, "NOT_JSON"),
        ("x" * 300_000, "TOO_LARGE"),
    ],
)
@proves("fire:atomic")
async def test_a_payload_that_cannot_be_kept_writes_nothing(
    broker: Broker, payload: float | str, code: str
) -> None:
    with pytest.raises(BadInput) as told:
        await broker.ledger("s").record("pay", payload)
    assert told.value.code == code
    assert await broker.ledger("s").awaiting() == ()


@proves("fire:atomic")
async def test_a_payload_nested_too_deeply_writes_nothing(broker: Broker) -> None:
    deep: Json = []
    for _ in range(70):
        deep = [deep]
    with pytest.raises(BadInput) as told:
        await broker.ledger("s").record("pay", deep)
    assert told.value.code == "TOO_DEEP"
