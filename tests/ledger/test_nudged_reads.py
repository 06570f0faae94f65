"""A nudge that comes while a queue is being read is work to read, not work read already."""

import anyio
import pytest

from onefate.broker import Broker
from onefate.broker.ledger.link import Arg, Reply
from tests.guarantees import proves

pytestmark = proves("wait:no-lost-wakeup", "fire:started-once")


async def test_a_fire_recorded_behind_a_read_is_taken_next(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, link = broker.ledger("s"), broker.link
    execute, recorded = link.execute, list[str]()

    async def late(*args: Arg) -> Reply:
        """Answer a read of new entries only once a fire has been recorded behind it."""
        reply = await execute(*args)
        if args[0] == "XREADGROUP" and args[-1] == ">" and not recorded:
            recorded.append((await ledger.record("pay", queue="q")).id)
            await execute("PING")
        return reply

    async with broker.queue("q", "w", session="s") as queue:
        monkeypatch.setattr(link, "execute", late)
        with anyio.fail_after(5):
            assert await queue.take() == []
            await queue.wait()
            (entry,) = await queue.take()
    assert [entry.fire_id] == recorded
