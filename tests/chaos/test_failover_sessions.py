"""A session over a map after a failover that lost decisions: its fires keep their fate."""

from typing import cast

import pytest

from onefate.broker import open_broker
from onefate.broker.door import Session, open_session
from onefate.broker.session.state import Wire
from onefate.port import serve_to_agent
from tests.chaos.places import quick, shop, until
from tests.chaos.replicas import Pair
from tests.door.world import OPTIONS, SHOP
from tests.guarantees import proves

pytestmark = [
    proves("answer:one-truth", "settle:immutable", "store:honest"),
    pytest.mark.timeout(120),
]

PERFORMED: Wire = {"source": "bank", "status": "performed"}
REFUSED: Wire = {"source": "rumour", "status": "refused"}


async def fired(session: Session) -> str:
    """A fire that the replica has as well."""
    await session.wire("app", ["till.count"], queue="nobody")
    answer = await serve_to_agent(session).call("shop.do_action", {"action": "till.count"})
    return str(answer["transitionId"])


async def test_every_port_tells_the_fate_that_was_put_back(pair: Pair) -> None:
    async with shop(pair.proxy.url, "s") as here:
        fire_id = await fired(here)
        await pair.promote()
        await here.observe_effect(fire_id, PERFORMED)
        told = await serve_to_agent(here).settled_answer(fire_id)
        async with shop(pair.new.url, "s") as there:
            assert await serve_to_agent(there).settled_answer(fire_id) is None
            await pair.move()
            assert await there.when_settled(fire_id) == await here.when_settled(fire_id)
            while await there.awaiting_settlement():
                continue
            for port in (serve_to_agent(here), serve_to_agent(there)):
                assert await port.settled_answer(fire_id) == told
            again = await serve_to_agent(there).call("shop.do_action", {"action": "till.count"})
            assert str(again["transitionId"]).startswith("till.count#1.")


async def test_a_decision_that_would_settle_it_otherwise_is_made_anew(pair: Pair) -> None:
    async with open_broker(quick(pair.proxy.url)) as broker:
        async with open_session(broker, "s", SHOP, OPTIONS) as here:
            fire_id = await fired(here)
            await pair.promote()
            await here.observe_effect(fire_id, PERFORMED)
            told = await serve_to_agent(here).settled_answer(fire_id)
        await pair.move()
        await until(lambda: broker.counters()["restored"] == 1)
        async with shop(pair.new.url, "s") as there:
            assert await there.awaiting_settlement() == [fire_id]
            late = await there.observe_effect(fire_id, REFUSED)
            assert late["settled"] is False
            assert await there.awaiting_settlement() == []
            facts = await serve_to_agent(there).settled_answer(fire_id)
            assert facts is not None
            assert told is not None
            assert {**facts, "later": told.get("later")} == {**told, "later": None}
            kept = cast("dict[str, object]", late["transition"])["observations"]
            assert [each["source"] for each in cast("list[dict[str, object]]", kept)] == [
                "bank",
                "rumour",
            ]


@proves("settle:first-wins")
async def test_the_fate_that_stands_on_the_new_server_is_told_by_every_port(pair: Pair) -> None:
    async with shop(pair.proxy.url, "s") as here:
        fire_id = await fired(here)
        await pair.promote()
        await here.observe_effect(fire_id, PERFORMED)
        async with shop(pair.new.url, "s") as there:
            await there.observe_effect(fire_id, REFUSED)
            stands = await serve_to_agent(there).settled_answer(fire_id)
            assert stands is not None
            assert stands["effectStatus"] == "refused"
            await pair.move()
            while await here.settlement_if_known(fire_id) != await there.when_settled(fire_id):
                continue
            assert await serve_to_agent(here).settled_answer(fire_id) == stands
