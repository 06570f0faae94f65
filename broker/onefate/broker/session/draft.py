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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, Self, TypeVar, cast, overload

from onefate.broker.journey import Action, JourneyMap, declare_action
from onefate.broker.session import state as s
from onefate.broker.session.options import SessionOptions

V = TypeVar("V")
LONGEST_NUMBER: Final = 18
"""Digits of a number in an id; nothing longer was ever counted."""


class RecordsNeeded(BaseException):
    """The decision reads history that is not loaded: `tables` by key, `logs` by (start, stop)."""

    def __init__(
        self,
        tables: Mapping[str, Sequence[str]] | None = None,
        logs: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        super().__init__(tables, logs)
        self.tables = dict(tables or {})
        self.logs = dict(logs or {})


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


@dataclass(slots=True)
class Snapshot:
    """What a door has loaded of a session: sections decoded, records at hand."""

    sections: dict[str, object]
    tables: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    """Per table, key → value or None when the key is known to be absent."""
    logs: dict[str, dict[int, object]] = field(default_factory=dict[str, dict[int, object]])
    """Per log, index → value."""
    complete: bool = False
    """True when all history is at hand (the pure core): what is absent does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FireOrder:
    """A fire that this decision records: what the ledger must keep of it."""

    id: str
    action: str
    principal: str
    payload: object
    """The unredacted input, for the handler only; `ABSENT` when there is none."""
    instance: str | None
    binding: str | None
    """The registry key whose handler is to run; None when nothing runs, or only `href`."""
    queue: str | None
    """The work queue of the process that holds the handler."""
    href: str | None = None
    """The address that the session's `navigate` is to be called with, where no handler is wired."""

    @property
    def runs(self) -> bool:
        """Whether something of ours is to run for this fire."""
        return self.binding is not None or self.href is not None


@dataclass(slots=True)
class Decision:
    """Everything one decision changes; committed together or not at all (fire:atomic)."""

    sections: dict[str, object] = field(default_factory=dict[str, object])
    tables: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    """Per table, key → new value, or None to delete."""
    logs: dict[str, list[object]] = field(default_factory=dict[str, list[object]])
    fires: list[FireOrder] = field(default_factory=list[FireOrder])
    receipts: dict[str, s.Receipt] = field(default_factory=dict[str, s.Receipt])
    """Settlements written by this decision, by transition id; each at most once for ever."""
    halts: list[str] = field(default_factory=list[str])
    """Fires that the app rejected: their handlers must not start any more."""
    warnings: list[str] = field(default_factory=list[str])
    """For the developer; a door says each text once."""

    def __bool__(self) -> bool:
        """Whether anything is to be committed."""
        return bool(self.sections or self.tables or self.logs or self.fires or self.receipts)


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


class Table(Generic[V]):
    """Keyed history of one kind, as this draft sees it."""

    def __init__(self, draft: "Draft", name: str) -> None:
        self._draft = draft
        self._name = name

    def want(self, keys: Iterable[str]) -> None:
        """Make sure that all of `keys` are at hand, in one go.

        Raises:
            RecordsNeeded: naming every key that is not.
        """
        at_hand = self._draft.snapshot.tables.get(self._name, {})
        written = self._draft.decision.tables.get(self._name, {})
        missing = [key for key in keys if key not in at_hand and key not in written]
        if missing and not self._draft.snapshot.complete:
            raise RecordsNeeded(tables={self._name: missing})

    def get(self, key: str) -> V | None:
        """Give the value under `key` (treat it as frozen), None where there is none."""
        written = self._draft.decision.tables.get(self._name, {})
        if key in written:
            return cast("V | None", written[key])
        self.want((key,))
        return cast("V | None", self._draft.snapshot.tables.get(self._name, {}).get(key))

    def many(self, keys: Sequence[str]) -> list[V | None]:
        """Give the values under `keys` in their order, loaded together."""
        self.want(keys)
        return [self.get(key) for key in keys]

    def put(self, key: str, value: V) -> None:
        """Write `value` under `key`."""
        self._draft.decision.tables.setdefault(self._name, {})[key] = value

    def edit(self, key: str) -> V | None:
        """Hand out this draft's own copy of the value under `key`, which will be written."""
        written = self._draft.decision.tables.get(self._name, {})
        if key in written:
            return cast("V | None", written[key])
        value = self.get(key)
        if value is None:
            return None
        copy = s.detached(value)
        self.put(key, copy)
        return copy

    def delete(self, key: str) -> None:
        """Remove the value under `key`."""
        self._draft.decision.tables.setdefault(self._name, {})[key] = None


class Log(Generic[V]):
    """Append-only history of one kind; its length is a counter of the session."""

    def __init__(self, draft: "Draft", name: str) -> None:
        self._draft = draft
        self._name = name

    def __len__(self) -> int:
        """Count all entries, those of this decision included."""
        return self._draft.counters["logs"].get(self._name, 0)

    def append(self, entry: V) -> None:
        """Add one entry at the end."""
        counters = self._draft.edit(Draft.counters)
        counters["logs"][self._name] = counters["logs"].get(self._name, 0) + 1
        self._draft.decision.logs.setdefault(self._name, []).append(entry)

    def tail(self, count: int) -> list[V]:
        """Give the last `count` entries, oldest first."""
        return self.slice(max(0, len(self) - count), len(self))

    def all(self) -> list[V]:
        """Give every entry, oldest first."""
        return self.slice(0, len(self))

    def slice(self, start: int, stop: int) -> list[V]:
        """Give entries `start` to `stop` (exclusive).

        Raises:
            RecordsNeeded: where some are not at hand.
        """
        fresh = self._draft.decision.logs.get(self._name, [])
        stored = len(self) - len(fresh)
        at_hand = self._draft.snapshot.logs.get(self._name, {})
        missing = [i for i in range(start, min(stop, stored)) if i not in at_hand]
        if missing:
            raise RecordsNeeded(logs={self._name: (missing[0], missing[-1] + 1)})
        old = [at_hand[i] for i in range(start, min(stop, stored))]
        new = fresh[max(0, start - stored) : max(0, stop - stored)]
        return cast("list[V]", [*old, *new])


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
        self.rows = Table[s.Row](self, "rows")
        """Transition rows by number, as text (see `number_of`)."""
        self.receipts = Table[s.Receipt](self, "receipts")
        """Settlements by transition id; written only through `settle`."""
        self.closed_asks = Table[s.Ask](self, "asks")
        """Cards that can let nothing pass any more, by ask id."""
        self.answers = Table[str](self, "answers")
        """The latest answered card by what it is about: see `approval.subject`."""
        self.ask_fires = Table[list[str]](self, "ask_fires")
        """Transition ids that carry an ask id, by ask id."""
        self.offers = Table[s.Offer](self, "offers")
        """Retained offers by number, as text."""
        self.acknowledgements = Table[s.Acknowledgement](self, "acks")
        """Retained acknowledgements by number, as text."""
        self.once = Table[list[s.OnceReceipt]](self, "once")
        """Receipts of once actions by digest of what the scope compares; the latest governs."""
        self.frames = Table[s.Frame](self, "frames")
        """Closed frames by number, as text, from 0."""
        self.marks = Table[bool](self, "marks")
        """What is said once in a session, by its key."""
        self.gaps = Log[s.Gap](self, "gaps")
        self.confirms = Log[s.Confirm](self, "confirms")
        self.people = Log[s.PersonAct](self, "people")
        """The rows that are filed under a person."""
        self.focus_log = Log[s.FocusMove](self, "focus")

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
            self.snapshot.sections[name] = s.EMPTY[name]()
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
