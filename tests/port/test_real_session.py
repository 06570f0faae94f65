"""What an agent can send reaches a session on a server, and still nothing raises."""

import json
from collections.abc import Iterator

import pytest

from onefate.broker import open_broker
from onefate.broker.door import open_session
from onefate.port import serve_to_agent
from tests.guarantees import proves
from tests.port.clinic import MAP, WIRED
from tests.port.stage import idle
from tests.port.test_call import deep
from tests.servers import embedded_server

SENT: tuple[object, ...] = (
    "\ud800",
    "desk.call#\ud800",
    "\x00",
    "a" * 1_000_000,
    {"who": "\ud800"},
    {"\ud800": 1},
    {"who": "a" * 1_000_000},
    {"who": 2**70},
    deep(60),
    deep(100_000),
    10**5_000,
    1e308,
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with embedded_server() as server:
        yield server.url


@proves("call:never-waits")
@pytest.mark.parametrize("enforced", [False, True])
async def test_no_argument_makes_a_call_on_a_server_raise(url: str, *, enforced: bool) -> None:
    options = {"state": {"x": 0}, "requireHumanApproval": enforced}
    async with (
        open_broker(url) as broker,
        open_session(broker, f"s-{enforced}", MAP, options) as session,
    ):
        await session.register_handlers("app", dict.fromkeys(WIRED, idle))
        port = serve_to_agent(session)
        for sent in SENT:
            for arguments in (
                {"action": sent, "step": sent, "key": sent, "transitionId": sent, "routeTo": sent},
                {"action": "call", "input": sent, "instance": sent, "offerId": sent},
                {"action": "pay", "input": sent, "confirm": True, "acknowledgementId": sent},
                {"step": "note", "input": sent, "sinceVersion": sent},
                {"action": "pay", "input": sent, "decline": True},
            ):
                for tool in ("whats_here", "why", "do_action", "did_it_work", "journey.visit"):
                    answer = await port.call(f"clinic.{tool}", arguments)
                    assert json.loads(json.dumps(answer)) == answer
