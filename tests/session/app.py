"""A session in memory with an app behind it: handlers run after the step that ordered them."""

from collections import deque
from collections.abc import Callable
from typing import TypeVar, cast

from onefate.broker.journey import compile_map
from onefate.broker.session import motion, outcomes, registry, report, structure
from onefate.broker.session.attempt import FireOptions
from onefate.broker.session.draft import Draft, FireOrder
from onefate.broker.session.fire import fire
from onefate.broker.session.raised import raised
from onefate.broker.session.reads.available import available
from onefate.broker.session.rows import find
from onefate.broker.session.settle import settlement_if_known
from onefate.broker.session.state import ABSENT, Receipt, Record, Wire
from tests.session.kept import Whole

T = TypeVar("T")
Handler = Callable[[object], object]

ACTIONS: Wire = {
    "W": {"does": "Write", "writes": ["k"]},
    "Z": {"does": "Do"},
    "N": {"does": "Go", "goTo": "q"},
    "C": {"does": "Commit", "confirm": True, "writes": ["k"]},
}


def one_page(**actions: object) -> Wire:
    """A map of two pages, all actions on the first."""
    return {"pages": {"p": {"actions": actions or ACTIONS}, "q": {}}}


def nothing(_payload: object) -> object:
    """A handler that does its work and says nothing."""
    return None


class App:
    """One app: its session, its handlers, and what waits to run."""

    kept: type[Whole] = Whole

    def __init__(self, definition: Wire | None = None, /, **options: object) -> None:
        options.setdefault("state", {})
        self.memory = self.kept(compile_map("g", definition or one_page()), options)
        self.handlers: dict[str, Handler] = {}
        self.running: list[FireOrder] = []
        """Fires whose handlers have started and are to end by hand."""
        self._due: deque[FireOrder] = deque()

    def decide(self, decision: Callable[[Draft], T]) -> T:
        """Take one decision; nothing it orders has run when this returns."""
        result, made = self.memory.made(decision)
        self._due.extend(order for order in made.fires if order.runs)
        return result

    def bind(self, handler: Handler = nothing, *ids: str, group: str = "app") -> None:
        """Wire these actions, all of the map's if none are named, and let the structure settle."""
        names = ids or tuple(self.memory.map.actions)
        self.decide(lambda draft: registry.register_handlers(draft, group, names))
        self.handlers.update(dict.fromkeys(names, handler))
        self.flush()

    def flush(self) -> None:
        """Let everything run that can."""
        self.decide(structure.flush_structure)
        while self._due:
            order = self._due.popleft()
            if self._starts(order.id):
                self._run(order)
            self.decide(structure.flush_structure)

    def _starts(self, fire_id: str) -> bool:
        return self.decide(lambda draft: outcomes.handler_started(draft, fire_id))

    def _run(self, order: FireOrder) -> None:
        try:
            value = self.handlers.get(order.action, nothing)(order.payload)
        except RuntimeError as error:
            told = raised(error)
            self.decide(lambda draft: outcomes.handler_threw(draft, order.id, told))
        else:
            if value is ABSENT:
                self.running.append(order)
            else:
                self.decide(lambda draft: outcomes.handler_returned(draft, order.id, value))

    def fire(self, action: str, source: str = "agent", /, **options: object) -> Wire:
        """Fire an action with options in the wire's words; its handler runs at the next flush."""
        said = FireOptions.read({"source": source, **options})
        return self.decide(lambda draft: fire(draft, action, said))

    def done(self, action: str, source: str = "agent", /, **options: object) -> str:
        """Fire an action that is accepted, let its handler run, and give the fire's id."""
        answer = self.fire(action, source, **options)
        assert answer["ok"] is True, answer
        self.flush()
        return id_of(answer)

    def report(self, delta: Wire, **options: str) -> Wire:
        """Report state."""
        return self.decide(lambda draft: report.update_state(draft, delta, **options))

    def sync(self, page: str, **options: str) -> Wire:
        """Report a position."""
        return self.decide(lambda draft: motion.sync(draft, page, **options))

    def look(self, principal: str = "agent") -> list[Wire]:
        """What is served now."""
        edges = self.decide(lambda draft: available(draft, principal))["edges"]
        return [dict(edge) for edge in edges]

    def served(self, action: str) -> Wire | None:
        """The row of an action, None where it is not served."""
        return next((row for row in self.look() if row["affordanceId"] == action), None)

    def record(self, fire_id: str) -> Record:
        """A row as it is now."""
        row = self.decide(lambda draft: find(draft, fire_id))
        assert row is not None
        return row["record"]

    def receipt(self, fire_id: str) -> Receipt | None:
        """How a fire came to rest, None while it is open."""
        return self.decide(lambda draft: settlement_if_known(draft, fire_id))

    @property
    def versions(self) -> tuple[int, int, int]:
        """The three counters."""
        counters = self.memory.draft().counters
        return counters["version"], counters["stateVersion"], counters["structureVersion"]

    @property
    def rows(self) -> list[str]:
        """The ids of all rows."""
        table = self.memory.snapshot.tables.get("rows", {})
        return [str(cast("Wire", cast("Wire", row)["record"])["id"]) for row in table.values()]


def id_of(answer: Wire) -> str:
    """The id of the fire that was accepted."""
    return str(cast("Wire", answer["transition"])["id"])
