"""A draft is one session's working copy for one decision: read what is, write what shall be.

Rules
1. A decision is a synchronous function of a draft. It reads sections, tables and logs through the
   draft and writes through it; nothing else is touched, nothing happens until the draft's
   `Decision` is committed as a whole.
2. *Sections* are small and bounded, always at hand, JSON values, read as attributes and never
   mutated in place: `draft.edit(Draft.pending)` hands out this draft's own copy and marks it
   changed.
3. *Tables* hold keyed history (transition rows, receipts, offers …) and *logs* append-only history
   (gaps, confirms …). They are loaded on demand: reading a record that is not at hand raises
   `RecordsNeeded`; the door loads what it names and decides again from the start.
4. Commands are therefore deterministic: same snapshot, same records, same `now`, same decision.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Generic, Self, TypeVar, cast, overload

from onefate.broker.journey import Action, JourneyMap, declare_action
from onefate.broker.session import state as s
from onefate.broker.session.beginning import EMPTY
from onefate.broker.session.decision import Decision, FireOrder, RecordsNeeded, Snapshot
from onefate.broker.session.history import Log, Logged, Table, Tabled
from onefate.broker.session.options import SessionOptions

__all__ = [
    "Code",
    "Decision",
    "Draft",
    "FireOrder",
    "Log",
    "RecordsNeeded",
    "Section",
    "Snapshot",
    "Table",
    "number_of",
]

V = TypeVar("V")
LONGEST_NUMBER: Final = 18
"""Digits of a number in an id; nothing longer was ever counted."""


class Code:
    """The functions this process holds for a session, and the declarations it has compiled.

    Functions are code, so they are local: every process that serves the session brings its own
    readers of what controls contain, and the functions inside what it declared at mount. Nothing of
    it is state.
    """

    def __init__(self) -> None:
        self.holds: dict[str, list[tuple[str, Callable[[], object]]]] = {}
        """Action id → (group, reader), the newest last."""
        self._definitions: dict[tuple[str, str], Mapping[str, object]] = {}
        self._compiled: dict[str, tuple[s.Declared, Action]] = {}

    def hold(self, group: str, action: str, reader: Callable[[], object]) -> None:
        """Read what the control of `action` contains, until `group` is released."""
        self.holds.setdefault(action, []).append((group, reader))

    def remember(self, group: str, action: str, definition: Mapping[str, object]) -> None:
        """Compile what `group` declared from this definition, functions included."""
        self._definitions[group, action] = definition
        self._compiled.pop(action, None)

    def release(self, group: str) -> None:
        """Forget the functions of a group."""
        for action, readers in list(self.holds.items()):
            self.holds[action] = [reader for reader in readers if reader[0] != group]
        for key in [key for key in self._definitions if key[0] == group]:
            del self._definitions[key]

    def compiled(self, journey_map: JourneyMap, action: str, declared: s.Declared) -> Action:
        """Give the compiled form of an action declared at mount."""
        known = self._compiled.get(action)
        if known is None or known[0] != declared:
            own = self._definitions.get((declared["group"], action), declared["definition"])
            made = declare_action(journey_map, declared["node"], declared["name"], own)
            known = self._compiled[action] = (declared, made)
        return known[1]


class Section(Generic[V]):
    """A named section of the draft; reading it as an attribute gives the value as it stands."""

    def __set_name__(self, owner: "type[Draft]", name: str) -> None:
        """Take the attribute's name as the section's."""
        self.name = name

    @overload
    def __get__(self, draft: None, owner: "type[Draft]") -> Self: ...
    @overload
    def __get__(self, draft: "Draft", owner: "type[Draft]") -> V: ...
    def __get__(self, draft: "Draft | None", owner: "type[Draft]") -> Self | V:
        """Give the section's value; treat it as frozen."""
        return self if draft is None else cast("V", draft.section(self.name))


class Draft:
    """One session's working copy for one decision (see the module's rules)."""

    counters = Section[s.Counters]()
    position = Section[s.Position]()
    state = Section[s.State]()
    changes = Section[s.Changes]()
    pending = Section[list[s.Pending]]()
    latches = Section[list[s.Latch]]()
    fates = Section[dict[str, s.Fate]]()
    registry = Section[s.Registry]()
    nodes = Section[s.Nodes]()
    asks = Section[s.Asks]()
    grants = Section[list[s.Grant]]()
    frame = Section[s.FrameSection]()
    carried = Section[s.Carried]()
    served = Section[s.Served]()
    decided = Section[dict[str, str]]()
    work = Section[dict[str, s.Work]]()
    recent = Section[s.Recent]()

    rows = Tabled[s.Row]("rows")
    """Transition rows by number, as text (see `number_of`)."""
    receipts = Tabled[s.Receipt]("receipts")
    """Settlements by transition id; written only through `settle`."""
    closed_asks = Tabled[s.Ask]("asks")
    """Cards that can let nothing pass any more, by ask id."""
    answers = Tabled[str]("answers")
    """The latest answered card by what it is about: see `cards.subject`."""
    ask_fires = Tabled[list[str]]("ask_fires")
    """Transition ids that carry an ask id, by ask id."""
    offers = Tabled[s.Offer]("offers")
    """Retained offers by number, as text."""
    acknowledgements = Tabled[s.Acknowledgement]("acks")
    """Retained acknowledgements by number, as text."""
    once = Tabled[list[s.OnceReceipt]]("once")
    """Receipts of once actions by digest of what the scope compares; the latest governs."""
    frames = Tabled[s.Frame]("frames")
    """Closed frames by number, as text, from 0."""
    marks = Tabled[bool]("marks")
    """What is said once in a session, by its key."""

    gaps = Logged[s.Gap]("gaps")
    confirms = Logged[s.Confirm]("confirms")
    people = Logged[s.PersonAct]("people")
    """The rows that are filed under a person."""
    focus_log = Logged[s.FocusMove]("focus")

    def __init__(  # noqa: PLR0913 - the five inputs of every decision
        self,
        journey_map: JourneyMap,
        options: SessionOptions,
        snapshot: Snapshot,
        *,
        now: int,
        code: Code | None = None,
        epoch: int = 0,
    ) -> None:
        self.map = journey_map
        self.options = options
        self.snapshot = snapshot
        self.now = now
        self.code = code or Code()
        self.epoch = epoch
        self.decision = Decision()

    def entries(self, log: str) -> int:
        """Count the entries of a log, those of this decision included."""
        return self.counters["logs"].get(log, 0)

    def count_entry(self, log: str) -> None:
        """Count one more entry of a log."""
        counts = self.edit(Draft.counters)["logs"]
        counts[log] = counts.get(log, 0) + 1

    def action(self, action_id: str) -> Action | None:
        """Give an action: the map's own, or the newest that was declared at mount."""
        found = self.map.actions.get(action_id)
        if found is not None:
            return found
        stack = self.registry["declared"].get(action_id)
        return self.code.compiled(self.map, action_id, stack[-1]) if stack else None

    def actions(self) -> Iterator[Action]:
        """Give every action: the map's in compile order, then those declared at mount."""
        yield from self.map.actions.values()
        for action_id, stack in self.registry["declared"].items():
            yield self.code.compiled(self.map, action_id, stack[-1])

    def placed(self, action_id: str) -> str | None:
        """Give the node of an action on the current page, None where it has none."""
        page = self.position["node"]
        nodes = self.map.action_nodes.get(action_id)
        if nodes is None:
            stack = self.registry["declared"].get(action_id)
            nodes = (stack[-1]["node"],) if stack else ()
        return next((path for path in nodes if self.map.nodes[path].page == page), None)

    def section(self, name: str) -> object:
        """Give the named section as it stands in this draft."""
        if name in self.decision.sections:
            return self.decision.sections[name]
        if name not in self.snapshot.sections:
            self.snapshot.sections[name] = EMPTY[name]()
        return self.snapshot.sections[name]

    def edit(self, section: Section[V]) -> V:
        """Hand out this draft's own copy of a section, which will be written."""
        if section.name not in self.decision.sections:
            self.decision.sections[section.name] = s.detached(self.section(section.name))
        return cast("V", self.decision.sections[section.name])

    def replace(self, section: Section[V], value: V) -> None:
        """Write a whole new value for a section."""
        self.decision.sections[section.name] = value

    def settle(self, transition_id: str, receipt: s.Receipt) -> None:
        """Write the receipt of a fire whose latch this decision closes (settle:immutable)."""
        self.decision.receipts[transition_id] = receipt
        self.receipts.put(transition_id, receipt)

    def warn(self, text: str) -> None:
        """Tell the developer, never the agent; a door says each text once."""
        self.decision.warnings.append(text)

    def version_up(self) -> None:
        """Count one motion of the world."""
        self.edit(Draft.counters)["version"] += 1


def number_of(transition_id: str) -> int | None:
    """Give the row number that a transition id carries, None where it carries none."""
    digits = transition_id.rpartition("#")[2].rpartition(".")[2]
    plain = len(digits) <= LONGEST_NUMBER and digits.isascii() and digits.isdecimal()
    return int(digits) if plain else None
