"""What an agent's words cost: an id that this session never gave loads nothing and is not kept."""

import pytest

from onefate.broker.session import cards
from onefate.broker.session.draft import Draft, RecordsNeeded
from onefate.broker.session.history import LONGEST_KEY
from onefate.broker.session.memory import Memory
from tests.guarantees import proves
from tests.port.stage import MAP

pytestmark = proves("id:impossible-raises")


def partial() -> Draft:
    """A draft of a session whose history is not at hand."""
    memory = Memory(MAP)
    memory.snapshot.complete = False
    return memory.draft()


@pytest.mark.parametrize("name", ["ask#99", "grant#1", "anything", "x" * 100_000, "\ud800"])
def test_a_card_nobody_was_given_is_not_looked_up(name: str) -> None:
    assert cards.fires_of(partial(), name) == []


def test_no_key_is_longer_than_any_that_is_written() -> None:
    assert partial().receipts.get("x" * (LONGEST_KEY + 1)) is None
    with pytest.raises(RecordsNeeded):
        partial().receipts.get("x" * LONGEST_KEY)
