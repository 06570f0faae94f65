import threading

import pytest

from onefate.broker import (
    BrokerSettings,
    Claim,
    Durability,
    Settlement,
    open_blocking_broker,
    performed,
)
from onefate.broker.errors import NeverExisted
from tests.guarantees import proves

pytestmark = proves("answer:one-truth")


def test_threads_share_one_broker(url: str) -> None:
    settings = BrokerSettings(url=url, namespace="blocking", durability=Durability.MEMORY)
    with open_blocking_broker(settings) as broker:
        ledger = broker.ledger("s")
        fire = ledger.record("pay", {"n": 1}, queue="q")
        found: list[Settlement] = []
        waiter = threading.Thread(target=lambda: found.append(ledger.when_settled(fire.id)))
        waiter.start()
        with broker.queue("q", "w") as queue:
            queue.wait(timeout=5)
            [entry] = queue.take()
            claim = queue.claim(entry)
            assert isinstance(claim, Claim)
            assert queue.beat(claim)
            queue.done(entry)
        settled = ledger.settle(fire.id, performed(2), by="w", fence=claim.fence)
        waiter.join(5)
        assert found == [settled.settlement]
        assert not ledger.observe(fire.id, source="bank", status="performed").won
        ledger.note(fire.id, {"seen": True}, by="bank")
        assert ledger.settlement_if_known(fire.id) == settled.settlement
        assert ledger.all_of([fire.id]) == (settled.settlement,)
        assert ledger.any_of([fire.id], timeout=5) == settled.settlement
        assert [each.kind for each in ledger.explain(fire.id).happenings] == [
            "recorded", "started", "settled", "observed", "noted",
        ]  # fmt: skip
        assert ledger.fire(fire.id).status == "performed"
        assert ledger.awaiting() == ()
        assert broker.now_ms() > 0
        assert broker.counters()["waits"] >= 2


@proves("settle:no-clock", "id:impossible-raises")
def test_a_timeout_ends_the_wait_and_an_impossible_id_raises(url: str) -> None:
    settings = BrokerSettings(url=url, namespace="blocking", durability=Durability.MEMORY)
    with open_blocking_broker(settings) as broker:
        ledger = broker.ledger("timeouts")
        fire = ledger.record("pay")
        with pytest.raises(TimeoutError):
            ledger.when_settled(fire.id, timeout=0.01)
        with pytest.raises(NeverExisted):
            ledger.when_settled("pay#99", timeout=5)
        assert ledger.settle(fire.id, performed(), by="w").won
