"""Conversations in which a port says what it seldom says: every key of an answer that is rare."""

from collections.abc import Iterator
from functools import partial
from typing import Final, cast

from onefate.broker.session import acknowledge, cards, frames, outcomes, registry
from onefate.broker.session.settle import settlement_if_known
from onefate.broker.session.state import Wire
from onefate.port import Port, PortOptions, call
from tests.session.app import App, id_of
from tests.session.departing import stays_open

OFF: Final[Wire] = {"enabledWhen": {"y": {"gt": 5}}}
SAYS: Final[Wire] = {"blockedBecause": {"says": "Wait for y", "clearedBy": "app"}}
STRICT: Final[Wire] = {
    "reads": ["x"],
    "freshness": {"readChanges": "require-ack", "positionChanges": "require-ack"},
}
OPEN: Final[Wire] = {"does": "Open", "confirm": True}
DEFINITION: Final[Wire] = {
    "pages": {
        "a": {
            "areas": {
                "rows": {"repeats": True, "actions": {"open": OPEN}},
                "side": {"actions": {"go": {"does": "Go"}}},
            },
            "modals": {"sure": {"actions": {"yes": {"does": "Yes"}}}},
            "actions": {
                "y": {"does": "Y", "writes": ["y"]},
                "off": {"does": "Off", **OFF, **SAYS},
                "busy": {"does": "Busy", "goTo": "b", "when": {"unknown": {"eq": 1}}},
                "pay": {
                    "does": "Pay",
                    "confirm": True,
                    "when": {"x": {"lt": 9}, "unknown": {"eq": 1}},
                    "reads": ["x"],
                    "writes": ["paid"],
                    "goTo": "b",
                },
                "ship": {"does": "Ship", **STRICT},
                "once": {"does": "Once", "concurrency": {"mode": "once"}},
                "set": {"does": "Set", "writes": ["x"], "verify": {"x": {"eq": 0}}},
                "shut": {"does": "Shut", "when": {"x": {"gt": 99}}},
                "pick": {"does": "Pick", "humanDecides": {"about": "a day"}, **OFF},
            },
        },
        "b": {"actions": {"back": {"does": "Back", "goTo": "a"}}},
    },
    "journeys": {
        "j": {"does": "J", "steps": ["a.busy", "a.off", "a.pick", "a.pay", "a.once"]},
        "h": {"does": "H", "steps": ["a.shut", "a.side.go"]},
        "k": {"does": "K", "steps": ["a.y"], "when": {"unknown": {"eq": 1}}},
    },
}


class Talk:
    """One session, its port, and everything that was said."""

    def __init__(self, port: PortOptions | None = None, **options: object) -> None:
        self.app = App(DEFINITION, **{"state": {"x": 0, "y": 0}, **options})
        self.port = Port(self.app.memory.map, self.app.memory.options, port, largest_input=2000)
        self.app.bind()
        self.said: list[Wire] = []

    def call(self, tool: str, **arguments: object) -> Wire:
        answer = self.app.decide(lambda draft: call(draft, self.port, f"g.{tool}", arguments))
        self.said.append(answer)
        return answer

    def do(self, action: str, **arguments: object) -> Wire:
        return self.call("do_action", action=action, **arguments)

    def fired(self, action: str, **arguments: object) -> str:
        return str(self.do(action, **arguments)["transitionId"])

    def did(self, fire: str) -> None:
        self.app.flush()
        self.call("did_it_work", transitionId=fire)

    def settlement(self, fire: str) -> Wire:
        self.app.flush()
        receipt = self.app.decide(lambda draft: settlement_if_known(draft, fire))
        assert receipt is not None
        return cast("Wire", receipt)


def _rows_and_steps() -> Talk:
    talk = Talk()
    app = talk.app
    app.memory.code.hold("app", "a.y", lambda: {"text": "draft"})
    for action in ("a.busy", "a.off"):
        app.decide(partial(registry.set_busy, group="app", name=action, label="Saving"))
    app.bind(stays_open, "a.y")
    talk.fired("y")
    app.flush()
    talk.call("whats_here", routeTo="b")
    talk.call("journey.j")
    talk.do("busy")
    talk.do("y", input={"text": "x" * 3000})
    talk.do("y", instance="x" * 1001)
    return talk


def _cards() -> Talk:
    talk = Talk(stateTap=False)
    app = talk.app
    for name in ("one", "two"):
        app.decide(partial(registry.register_actions, path="a.rows", instance=name))
    talk.do("pay")
    talk.do("open", instance="one")
    return talk


def _too_many_cards() -> Talk:
    talk = Talk(requireHumanApproval=True)
    for sum_of in range(cards.MOST_OPEN + 1):
        talk.do("pay", input={"sum": sum_of})
    return talk


def _freshness() -> Talk:
    talk = Talk()
    rows = cast("list[Wire]", talk.call("whats_here")["actions"])
    offer = next(row["offerId"] for row in rows if row["action"] == "a.ship")
    talk.app.report({"x": 3}, principal="user")
    seen = talk.app.decide(lambda d: acknowledge.acknowledge_stale(d, "a.y"))
    cited = {"offerId": offer, "acknowledgementId": seen["acknowledgementId"]}
    talk.do("ship", **cited)
    talk.app.decide(lambda d: registry.set_enabled(d, "app", "a.once", enabled=False))
    talk.app.flush()
    talk.do("ship", **cited)
    own = talk.app.decide(lambda d: acknowledge.acknowledge_stale(d, "a.ship"))
    talk.app.report({"x": 4}, principal="user")
    talk.do("ship", offerId=offer, acknowledgementId=own["acknowledgementId"])
    return talk


def _refusals() -> Talk:
    talk = Talk()
    fire = talk.fired("once")
    talk.app.flush()
    talk.call("journey.h", step="shut")
    talk.app.decide(lambda d: registry.set_visible(d, "a.side", visible=False))
    talk.call("journey.h", step="go")
    talk.app.decide(lambda d: registry.show(d, "a.sure"))
    talk.call("journey.h", step="shut")
    talk.do("once", input=float("nan"))
    tables = talk.app.memory.snapshot.tables
    tables["rows"].clear()
    tables["receipts"].clear()
    talk.did(fire)
    return talk


def _news() -> Talk:
    talk = Talk()
    app = talk.app
    app.bind(stays_open, "a.y")
    rejected, reported = talk.fired("y"), talk.fired("y")
    app.flush()
    app.decide(lambda d: outcomes.reject(d, rejected))
    app.decide(lambda d: outcomes.handler_returned(d, rejected, "done"))
    app.report({"y": 1}, transition_id=reported)
    app.decide(lambda d: outcomes.handler_threw(d, reported, {"raised": True, "text": "Error: x"}))
    app.report({"y": 2}, transition_id=reported)
    word: Wire = {"source": "bank", "status": "refused", "evidenceRef": "b-7"}
    app.decide(lambda d: outcomes.observe_effect(d, reported, word))
    talk.did(rejected)
    talk.did(reported)
    return talk


def answers() -> Iterator[Wire]:
    """Everything said in these conversations."""
    for talk in (
        _rows_and_steps(),
        _cards(),
        _too_many_cards(),
        _freshness(),
        _refusals(),
        _news(),
    ):
        yield from talk.said


def settlements() -> Iterator[Wire]:
    """Settlements of every kind of fire."""
    talk = Talk(allowUnmaterializedFires=True)
    app = talk.app
    app.bind(lambda _: {"rows": [1, 2]}, "a.once", "a.busy", "a.set")
    yield talk.settlement(talk.fired("once", input={"n": 1}))
    app.done("a.y", "user", invoke=False)
    app.report({"y": 1})
    yield talk.settlement(talk.fired("once"))
    yield talk.settlement(talk.fired("set"))
    app.bind(stays_open, "a.ship")
    rows = cast("list[Wire]", talk.call("whats_here")["actions"])
    offer = next(row["offerId"] for row in rows if row["action"] == "a.ship")
    seen = talk.fired("ship", offerId=offer)
    word: Wire = {"source": "bank", "status": "performed", "evidenceRef": "b-7"}
    app.decide(lambda d: outcomes.observe_effect(d, seen, word))
    yield talk.settlement(seen)
    app.decide(lambda d: registry.unregister(d, "app"))
    yield talk.settlement(talk.fired("busy"))
    yield from _by_inference_and_by_card()


def _by_inference_and_by_card() -> Iterator[Wire]:
    talk = Talk()
    talk.do("pay")
    yield talk.settlement(_paid(talk))
    other = Talk()
    told = other.app.report({"y": 4})
    yield other.settlement(id_of(told))
    other.app.decide(frames.leave_journey)


def _paid(talk: Talk) -> str:
    fire = talk.fired("pay", confirm=True)
    talk.app.flush()
    talk.app.report({"paid": True}, transition_id=fire)
    return fire
