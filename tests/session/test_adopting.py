"""A settlement that stands of a fire that is open: the session takes in its fate, and only that."""

from collections.abc import Mapping

import pytest

from onefate.broker.session import settle
from onefate.broker.session.draft import Draft
from onefate.broker.session.fire import fire
from onefate.broker.session.memory import Memory
from onefate.broker.session.outcomes import observe_effect
from onefate.broker.session.registry import register_handlers
from onefate.port import settled_facts
from tests.door.world import OPTIONS, SHOP
from tests.guarantees import proves

pytestmark = proves("settle:immutable", "answer:one-truth")


def fired(action: str) -> tuple[Memory, str]:
    memory = Memory(SHOP, OPTIONS)
    memory.decide(lambda draft: register_handlers(draft, "app", [action], queue="q"))
    memory.decide(lambda draft: fire(draft, action))
    (fire_id,) = memory.decide(settle.awaiting_settlement)
    return memory, fire_id


def known(memory: Memory, table: str) -> Mapping[str, object]:
    return memory.snapshot.tables.get(table, {})


@pytest.mark.parametrize("status", ["performed", "refused"])
@pytest.mark.parametrize("action", ["till.count", "till.close-day", "till.open"])
def test_a_fire_whose_settlement_stands_comes_to_rest_as_it_says(action: str, status: str) -> None:
    settled, fire_id = fired(action)
    settled.decide(lambda draft: observe_effect(draft, fire_id, _report(status)))
    behind, _ = fired(action)
    behind.snapshot.tables["receipts"] = dict(known(settled, "receipts"))
    version = behind.draft().counters["version"]
    behind.decide(lambda draft: settle.adopt(draft, fire_id))
    assert behind.decide(settle.awaiting_settlement) == []
    assert known(behind, "receipts") == known(settled, "receipts")
    assert known(behind, "once") == known(settled, "once")

    def facts(draft: Draft) -> object:
        return settled_facts(draft, fire_id)

    assert behind.decide(facts) == settled.decide(facts)
    assert behind.draft().counters["version"] > version
    behind.decide(lambda draft: settle.adopt(draft, fire_id))
    assert behind.decide(facts) == settled.decide(facts)


def test_an_open_fire_without_a_settlement_stays_open() -> None:
    memory, fire_id = fired("till.count")
    memory.decide(lambda draft: settle.adopt(draft, fire_id))
    assert memory.decide(settle.awaiting_settlement) == [fire_id]


def _report(status: str) -> dict[str, object]:
    return {"source": "bank", "status": status}
