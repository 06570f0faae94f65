"""Plain threads hold a port: the same answers as on an event loop."""

import threading
from collections.abc import Iterator

import pytest

from onefate.broker.errors import ImpossibleId, NeverExisted
from onefate.broker.session.state import Receipt, Wire
from onefate.port import JourneyToolsPort
from onefate.port.blocking import BlockingPort, open_blocking_port
from onefate.port.errors import PortOptionsError
from tests.guarantees import proves
from tests.port.stage import MAP
from tests.servers import embedded_server

pytestmark = proves("answer:three", "answer:one-truth", "wait:never-fails", "call:never-waits")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with embedded_server() as server:
        yield server.url


class Bench:
    """A handler that waits to be let go, on a thread of its own."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.seen: list[object] = []

    def pay(self, payload: object) -> object:
        self.seen.append(payload)
        assert self.go.wait(30)
        return {"receipt": 7}


def fired(port: BlockingPort, action: str, **arguments: object) -> str:
    answer = port.call("g.do_action", {"action": action, **arguments})
    return str(answer["transitionId"])


def test_threads_share_one_port(url: str) -> None:
    bench = Bench()
    with open_blocking_port(url, "threads", MAP, handlers={"a.pay": bench.pay}) as port:
        fire = fired(port, "pay", input={"amt": 5}, confirm=True)
        heard: list[Receipt] = []
        waiters = [
            threading.Thread(target=lambda: heard.append(port.when_settled(fire, timeout=30)))
            for _ in range(4)
        ]
        for waiter in waiters:
            waiter.start()
        with pytest.raises(TimeoutError):
            port.when_settled(fire, timeout=0.01)
        assert port.settled_answer(fire) is None
        bench.go.set()
        for waiter in waiters:
            waiter.join(30)
        assert [receipt["effectStatus"] for receipt in heard] == ["performed"] * 4
        assert bench.seen == [{"amt": 5}]
        facts: Wire = {**(port.settled_answer(fire) or {})}
        told = port.call("g.did_it_work", {"transitionId": fire})
        assert facts["data"] == {"receipt": 7}
        assert {key: told[key] for key in facts} == facts


def test_impossible_ids_raise_on_threads_too(url: str) -> None:
    with open_blocking_port(url, "ids", MAP) as port:
        with pytest.raises(NeverExisted):
            port.when_settled("a.n#99")
        with pytest.raises(ImpossibleId):
            port.settled_answer("no id")
        assert port.call("nothing", {"x": 1})["reason"] == "UNKNOWN_TOOL"


def test_its_tools_are_the_ports(url: str) -> None:
    with open_blocking_port(url, "tools", MAP, port={"journeyTools": "single"}) as port:
        assert [tool["name"] for tool in port.tools()][:2] == ["g.journey", "g.whats_here"]
        assert port.tools() == port.tools()
        assert isinstance(port, JourneyToolsPort)


def test_what_cannot_be_opened_raises_and_leaves_no_thread(url: str) -> None:
    before = threading.active_count()
    with pytest.raises(PortOptionsError), open_blocking_port(url, "no", MAP, port={"colour": 1}):
        raise AssertionError("it was opened")
    assert threading.active_count() <= before
