"""What others get wrong about approvals: they lie, run out in silence, or count twice."""

from collections import Counter
from collections.abc import AsyncIterator
from functools import partial

import anyio
import pytest

from onefate.broker import Broker
from onefate.broker.door import Session, open_session
from onefate.broker.ledger import scripts
from onefate.broker.ledger.embedded import OwnedServer
from onefate.broker.session.state import Wire
from onefate.port import ServedPort, serve_to_agent
from tests.chaos.places import shop
from tests.door.world import SHOP, STATE
from tests.guarantees import proves
from tests.link.proxy import Proxy

pytestmark = [proves("approve:spent-once"), pytest.mark.timeout(120)]

YEARS = 10 * 365 * 24 * 3600 * 1000
REFUND: Wire = {"action": "refund", "input": {"sale": 7}}


class Watch:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
async def session(broker: Broker, watch: Watch) -> AsyncIterator[Session]:
    """A session in which a yes is good for a second."""
    options: Wire = {"state": dict(STATE), "requireHumanApproval": {"expiresAfterMs": 1_000}}
    async with open_session(broker, "s", SHOP, options, clock=watch) as opened:
        await opened.wire("app", ["till.refund"], queue="nobody")
        yield opened


async def asked(port: ServedPort) -> str:
    answer = await port.call("shop.do_action", REFUND)
    assert "transitionId" not in answer
    return str(answer["askId"])


async def told(port: ServedPort, ask: str) -> Wire:
    return await port.call("shop.did_it_work", {"transitionId": ask})


@proves("settle:no-clock", "answer:three")
async def test_a_yes_that_ran_out_does_not_read_as_done(session: Session, watch: Watch) -> None:
    port = serve_to_agent(session)
    ask = await asked(port)
    assert (await session.approve(ask, by="Kim"))["ok"] is True
    watch.now += 1_001
    answer = await told(port, ask)
    assert (answer["settled"], answer["performed"]) == (False, False)
    assert answer["judgment"] == "approval-no-longer-valid"
    late = await port.call("shop.do_action", {**REFUND, "confirm": True})
    assert "transitionId" not in late
    assert await session.awaiting_settlement() == []


@proves("settle:no-clock")
async def test_a_question_nobody_answers_waits_for_ever(session: Session, watch: Watch) -> None:
    port = serve_to_agent(session)
    ask = await asked(port)
    watch.now += YEARS
    assert (await told(port, ask))["judgment"] == "awaiting-human"
    assert (await session.approve(ask, by="Kim"))["ok"] is True
    fired = await port.call("shop.do_action", {**REFUND, "confirm": True})
    assert await session.awaiting_settlement() == [fired["transitionId"]]


@proves("settle:first-wins")
async def test_of_two_people_the_first_decides_and_the_other_is_told(server: OwnedServer) -> None:
    async with shop(server.url, "s") as one, shop(server.url, "s") as two:
        await one.wire("app", ["till.refund"], queue="nobody")
        ask = await asked(serve_to_agent(one))
        answers: list[Wire] = []

        async def decide(session: Session, person: str, *, yes: bool) -> None:
            door = session.approve if yes else session.decline
            answers.append(await door(ask, by=person))

        async with anyio.create_task_group() as group:
            for number in range(6):
                session, yes = (one, two)[number % 2], bool(number % 3)
                group.start_soon(partial(decide, session, f"p{number}", yes=yes))
        assert Counter(answer["ok"] for answer in answers) == {True: 1, False: 5}
        assert all(answer["reason"] for answer in answers if not answer["ok"])
        judged = [await told(serve_to_agent(each), ask) for each in (one, two)]
        assert judged[0]["judgment"] == judged[1]["judgment"] != "awaiting-human"


@proves("settle:lost-reply")
async def test_a_yes_whose_reply_was_lost_is_one_yes(server: OwnedServer, proxy: Proxy) -> None:
    async with shop(server.url, "s") as near, shop(proxy.url, "s") as far:
        await near.wire("app", ["till.refund"], queue="nobody")
        ask = await asked(serve_to_agent(near))
        await far.version()
        proxy.lose_reply(scripts.COMMIT.sha.encode())
        assert (await far.approve(ask, by="Kim"))["ok"] is True
        assert proxy.lost_replies == 1
        ports = serve_to_agent(near), serve_to_agent(far)
        answers = [await port.call("shop.do_action", {**REFUND, "confirm": True}) for port in ports]
        assert sum("transitionId" in answer for answer in answers) == 1
        assert len(await near.awaiting_settlement()) == 1
