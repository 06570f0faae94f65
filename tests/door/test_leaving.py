"""Several processes of one session: who opens an address, and what a process takes with it."""

import anyio

from onefate.broker.door import attach_session, open_session
from onefate.broker.journey import compile_map
from onefate.broker.ledger.broker import open_broker
from onefate.broker.session.attempt import FireOptions
from tests.guarantees import proves

pytestmark = proves("fire:started-once", "answer:one-truth")
MAP = compile_map(
    "site",
    {
        "pages": {
            "home": {
                "actions": {
                    "help": {"does": "Open help", "binding": {"kind": "url", "href": "/help"}}
                },
                "modals": {"menu": {"actions": {"close": {"does": "Close"}}}},
            }
        }
    },
)


async def test_an_address_is_opened_by_the_process_that_can_whoever_fires(shared_url: str) -> None:
    opened: list[str] = []
    async with (
        open_broker(shared_url) as one,
        open_broker(shared_url) as two,
        open_session(one, "nav", MAP, name="app", navigate=opened.append),
        attach_session(two, "nav", MAP, name="port") as port,
    ):
        await port.fire("home.help", FireOptions())
        [fire_id] = await port.awaiting_settlement()
        with anyio.fail_after(5):
            receipt = await port.when_settled(fire_id)
        assert opened == ["/help"]
        assert receipt["effectStatus"] == "performed"


async def test_what_was_mounted_here_is_gone_with_the_process(shared_url: str) -> None:
    async with (
        open_broker(shared_url) as one,
        open_broker(shared_url) as two,
        open_session(one, "stays", MAP, name="stays") as stays,
    ):
        async with open_session(two, "stays", MAP, name="leaves") as leaves:
            await leaves.register_actions("home.menu", actions={"more": {"does": "More"}})
            known = await stays.decide(lambda draft: [action.id for action in draft.actions()])
            assert "home.menu.more" in known
        assert await stays.decide(lambda draft: dict(draft.nodes["present"])) == {}
        assert await stays.decide(lambda draft: dict(draft.registry["declared"])) == {}
