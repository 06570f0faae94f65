"""One small app with everything a port can meet, and a session on it in memory."""

from collections.abc import Callable
from typing import Final, TypeVar

from onefate.broker.journey import compile_map
from onefate.broker.session.draft import Decision, Draft
from onefate.broker.session.memory import Memory
from onefate.broker.session.registry import register_handlers
from onefate.port import Port, PortOptions, call

T = TypeVar("T")
NOW: Final = 1_700_000_000_000
DEFINITION: Final[dict[str, object]] = {
    "pages": {
        "desk": {
            "areas": {
                "rows": {
                    "repeats": True,
                    "actions": {"open": {"does": "Open a row", "confirm": True}},
                },
            },
            "modals": {"alarm": {"actions": {"quit": {"does": "Quit the alarm"}}}},
            "actions": {
                "note": {"does": "Take a note", "reads": ["x"], "writes": ["x"]},
                "call": {
                    "does": "Call the patient",
                    "input": {
                        "type": "object",
                        "properties": {"who": {"type": "string"}},
                        "required": ["who"],
                    },
                },
                "pay": {"does": "Pay the bill", "confirm": True, "writes": ["paid"]},
                "once": {"does": "Close the year", "concurrency": {"mode": "once"}},
                "go": {"does": "Go to the ward", "goTo": "ward", "input": "none"},
                "stop": {"does": "Stop it", "enabledWhen": {"x": {"gt": 5}}},
                "pick": {"does": "Pick a day", "humanDecides": {"about": "which day"}},
                "late": {"does": "Come late", "freshness": {"readChanges": "refuse"}},
            },
        },
        "ward": {"actions": {"note": {"does": "Take a note on the ward"}}},
    },
    "journeys": {
        "visit": {"does": "A visit", "steps": ["desk.note", "desk.pay", "desk.pick"]},
        "closed": {"does": "Not now", "when": {"x": {"gt": 9}}, "steps": ["desk.call"]},
    },
}
MAP: Final = compile_map("clinic", DEFINITION)
WIRED: Final = ("desk.note", "desk.call", "desk.pay", "desk.once", "desk.go", "desk.pick")


class Clinic:
    """A session of the clinic in memory, and one port on it."""

    def __init__(self, port: PortOptions | None = None, **session: object) -> None:
        options = {"state": {"x": 0}, **session}
        self.session = Memory(MAP, options, now=NOW)
        self.port = Port(MAP, self.session.options, port)
        self.decided = Decision()
        """The latest decision."""
        self.decide(lambda draft: register_handlers(draft, "app", WIRED))

    def decide(self, decision: Callable[[Draft], T]) -> T:
        """Decide and commit."""
        draft = self.session.draft()
        answer = decision(draft)
        self.session.commit(draft.decision)
        self.decided = draft.decision
        return answer

    def call(self, tool: str, arguments: object = None) -> dict[str, object]:
        """Call a tool of the port by the last part of its name."""
        return self.decide(lambda draft: call(draft, self.port, f"clinic.{tool}", arguments))
