"""`onefate explain`: a life told to people a line a happening, and to programs in JSON."""

import json

import anyio
import pytest

from onefate.broker.ledger.broker import open_broker
from onefate.broker.ledger.models import performed, refused
from onefate.broker.ledger.settings import BrokerSettings
from onefate.workers.cli import entry
from tests.guarantees import proves

pytestmark = proves("store:honest")

Shown = pytest.CaptureFixture[str]
WHY = "long" * 30


def where_is(settings: BrokerSettings) -> list[str]:
    return ["--url", settings.url or "", "--namespace", settings.namespace]


@pytest.fixture
def lived(settings: BrokerSettings) -> tuple[str, list[str]]:
    """A fire with a whole life, and the flags that lead to it."""

    async def live() -> str:
        async with open_broker(settings) as broker:
            ledger = broker.ledger("s")
            fire = await ledger.record("pay", {"amount": 40}, by="port-1")
            await ledger.settle(fire.id, performed("gültig"), by="worker-1")
            await ledger.settle(fire.id, refused("late"), by="worker-2")
            await ledger.note(fire.id, {"seen": 1 << 60, "why": WHY}, by="desk")
            return fire.id

    return anyio.run(live), where_is(settings)


def test_explain_tells_a_life_in_order(lived: tuple[str, list[str]], capsys: Shown) -> None:
    fire_id, where = lived
    assert entry.run(["explain", "s", fire_id, *where]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == f"{fire_id}  performed"
    assert [line.split()[1:] for line in rest[:4]] == [
        ["recorded", "port-1", "principal", "agent"],
        ["settled", "worker-1", "performed"],
        ["lost", "worker-2", "refused,", "error", "late"],
        ["noted", "desk", "seen", f"{1 << 60},", "why", WHY[:49] + "…"],
    ]
    assert rest[4:] == [
        "", "payload", "  {", '    "amount": 40', "  }",
        "", "receipt", "  {", '    "effectStatus": "performed",', '    "data": "gültig"', "  }",
    ]  # fmt: skip


def test_explain_tells_who_works_on_an_open_fire(settings: BrokerSettings, capsys: Shown) -> None:
    fire_id = anyio.run(started, settings)
    assert entry.run(["explain", "s", fire_id, *where_is(settings)]) == 0
    first, recorded, begun = capsys.readouterr().out.splitlines()
    assert first == f"{fire_id}  open"
    assert recorded.endswith("queue q")
    assert begun.split()[1:6] == ["started", "worker-1", "attempt", "1,", "seen"]
    assert begun.endswith("Z")


async def started(settings: BrokerSettings) -> str:
    """Record a fire without input, and let a worker start it."""
    async with open_broker(settings) as broker, broker.queue("q", "worker-1") as queue:
        fire = await broker.ledger("s").record("hold", queue="q")
        with anyio.fail_after(5):
            await queue.wait()
            (entry_,) = await queue.take()
            await queue.claim(entry_)
        return fire.id


def test_explain_answers_in_json(lived: tuple[str, list[str]], capsys: Shown) -> None:
    fire_id, where = lived
    assert entry.run(["explain", "s", fire_id, "--json", *where]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["id"], told["action"], told["effectStatus"]) == (fire_id, "pay", "performed")
    assert told["payload"] == {"amount": 40}
    assert [each["kind"] for each in told["happenings"]] == [
        "recorded", "settled", "lost", "noted",
    ]  # fmt: skip


def test_explain_refuses_an_id_that_never_was(lived: tuple[str, list[str]], capsys: Shown) -> None:
    _, where = lived
    assert entry.run(["explain", "s", "pay#7", *where]) == 2
    assert capsys.readouterr().err.endswith("[NEVER_EXISTED]\n")


def test_explain_refuses_a_session_that_never_was(settings: BrokerSettings, capsys: Shown) -> None:
    assert entry.run(["explain", "nobody", "pay#7", *where_is(settings)]) == 2
    shown = capsys.readouterr().err
    assert "no session 'nobody'" in shown
    assert shown.endswith("[NO_SUCH_SESSION]\n")
