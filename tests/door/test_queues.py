"""Queues of sessions: whatever the names are made of, no two sessions read one another's work."""

from onefate.broker.door.queues import queue_name
from tests.guarantees import proves

pytestmark = proves("fire:started-once")


def test_no_two_sessions_share_a_queue() -> None:
    pairs = [("a", "b:c"), ("a:b", "c"), ("a:b:c", "d"), ("a", "b"), ("a", "B"), ("a", "x" * 128)]
    assert len({queue_name(*pair) for pair in pairs}) == len(pairs)


def test_a_digest_cannot_be_chosen_as_a_session() -> None:
    name = queue_name("a", "x" * 128)
    assert queue_name("a", name.removeprefix("a:")) != name


def test_the_same_in_every_process_and_short_enough_to_be_a_queue() -> None:
    assert queue_name("work", "front-desk-1") == "work:9c86f3537bbe9559"
    assert len(queue_name("p" * 40, "s" * 128)) <= 64
