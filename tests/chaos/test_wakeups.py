"""Waits while their connection is killed seven times a second: every one of them is woken."""

import os

import anyio
import pytest

from onefate.broker.ledger.embedded import OwnedServer
from tests.chaos.wakeups import run
from tests.guarantees import proves

WAITS = 100_000 if os.environ.get("CI") else 10_000

pytestmark = pytest.mark.timeout(240)


@proves("wait:no-lost-wakeup", "wait:never-fails", "settle:first-wins")
async def test_no_wakeup_is_lost_however_often_connections_are_killed(server: OwnedServer) -> None:
    with anyio.fail_after(180):
        figures = await run(server.url, WAITS)
    assert figures.woken == WAITS
    assert figures.kills >= 5
    assert figures.connects > figures.kills // 2
    assert figures.connections_at_once == 1
    assert figures.healed_by_resync > 0
    assert figures.healed_by_read > 0
    healed = figures.healed_by_read + figures.healed_by_resync + figures.healed_by_sweep
    assert figures.pushed + healed >= WAITS
