"""A broker that is closed ends every wait on it, for tasks and for threads."""

import threading
from dataclasses import replace
from typing import cast

import anyio
import anyio.lowlevel
import pytest

from onefate.broker import BrokerSettings, Outcome, open_blocking_broker, open_broker, performed
from onefate.broker.ledger.errors import LinkClosed
from onefate.broker.ledger.faults import NotAnOutcome
from tests.guarantees import proves

pytestmark = proves("wait:never-fails")


@pytest.fixture
def own(settings: BrokerSettings) -> BrokerSettings:
    """A namespace that no other test has written to."""
    return replace(settings, namespace="closing")


async def test_a_wait_ends_with_its_broker(own: BrokerSettings) -> None:
    ended: list[type[Exception]] = []

    async with anyio.create_task_group() as group:
        async with open_broker(own) as broker:
            ledger = broker.ledger("closing")
            fire = await ledger.record("pay")

            async def wait() -> None:
                try:
                    await ledger.when_settled(fire.id)
                except LinkClosed as error:
                    ended.append(type(error))

            group.start_soon(wait)
            with anyio.fail_after(10):
                while not broker.hub.open:
                    await anyio.lowlevel.checkpoint()
        with anyio.fail_after(10):
            while not ended:
                await anyio.lowlevel.checkpoint()
    assert ended == [LinkClosed]


def test_a_thread_that_waits_is_told_when_the_broker_is_closed(own: BrokerSettings) -> None:
    waiting, told = threading.Event(), threading.Event()

    def wait() -> None:
        waiting.set()
        with pytest.raises(LinkClosed):
            ledger.when_settled(fire.id)
        told.set()

    with open_blocking_broker(own) as broker:
        ledger = broker.ledger("closing-threads")
        fire = ledger.record("pay")
        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        assert waiting.wait(10)
        while not broker.counters()["open"]:
            broker.now_ms()
    assert told.wait(10)
    thread.join(10)


async def test_a_fire_is_settled_with_an_outcome_and_nothing_else(own: BrokerSettings) -> None:
    async with open_broker(own) as broker:
        ledger = broker.ledger("outcomes")
        fire = await ledger.record("pay")
        with pytest.raises(NotAnOutcome, match="not with a str"):
            await ledger.settle(fire.id, cast("Outcome", "performed"), by="w")
        assert (await ledger.settle(fire.id, performed(), by="w")).won
