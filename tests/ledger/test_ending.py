import pytest

from onefate.broker import Broker, performed
from onefate.broker.errors import Forgotten
from onefate.broker.ledger.faults import StillOpen, WrongKind
from tests.guarantees import proves
from tests.ledger.sessions import committed, firing, over_a_map, performed_by, settling

pytestmark = proves("id:never-reused", "store:declared")


async def test_a_session_ends_once_nothing_is_open_and_keeps_its_receipts(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    with pytest.raises(StillOpen):
        await broker.end("s")
    won = await ledger.settle(fire.id, performed(), by="w")
    await broker.end("s")
    assert await ledger.settlement_if_known(fire.id) == won.settlement
    with pytest.raises(WrongKind, match="has ended"):
        await ledger.record("pay")
    keys = broker.keys("s")
    await broker.link.execute("DEL", keys.fire("0"), keys.settlement("0"))
    with pytest.raises(Forgotten):
        await ledger.when_settled(fire.id)


async def test_a_session_over_a_map_ends_with_its_tables_and_logs(broker: Broker) -> None:
    session = over_a_map(broker, "m")
    first = committed(await session.commit(firing("pay#0")))
    close = settling([performed_by("pay#0")], revision=first.revision, counter=1)
    await session.commit(close)
    await broker.end("m", tables=["offers"], logs=["gaps"])
    with pytest.raises(WrongKind, match="has ended"):
        await session.load()
    await session.commit(settling([], revision=first.revision + 1, counter=2))
    with pytest.raises(WrongKind):
        await session.load()
