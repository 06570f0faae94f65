"""Two ways a session is kept in tests: whole in memory, and as JSON that is loaded on demand.

What holds on both is true of the machine: its decisions are made of JSON alone and ask by name for
every record that they read.
"""

import json
from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from onefate.broker.journey import JourneyMap
from onefate.broker.session.draft import Decision, Draft, RecordsNeeded, Snapshot
from onefate.broker.session.memory import Memory

T = TypeVar("T")


class Whole(Memory):
    """Everything at hand."""

    def made(self, decision: Callable[[Draft], T]) -> tuple[T, Decision]:
        """Decide and keep it."""
        draft = self.draft()
        result = decision(draft)
        self.commit(draft.decision)
        return result, draft.decision


class Stored(Whole):
    """Sections and records as JSON texts; a decision loads what it asks for and is made again."""

    def __init__(self, journey_map: JourneyMap, options: Mapping[str, object]) -> None:
        super().__init__(journey_map, options)
        self.texts = {name: _text(value) for name, value in self.snapshot.sections.items()}
        self.records: list[int] = []
        """How many records each decision asked for."""

    def made(self, decision: Callable[[Draft], T]) -> tuple[T, Decision]:
        known = Snapshot({name: _value(text) for name, text in self.texts.items()})
        while True:
            draft = Draft(self.map, self.options, known, now=self.now, code=self.code)
            try:
                result = decision(draft)
            except RecordsNeeded as needed:
                self._load(known, needed)
                continue
            break
        tables, logs = known.tables.values(), known.logs.values()
        self.records.append(sum(map(len, tables)) + sum(map(len, logs)))
        self._keep(draft.decision)
        return result, draft.decision

    def _load(self, known: Snapshot, needed: RecordsNeeded) -> None:
        assert needed.tables or needed.logs
        for table, keys in needed.tables.items():
            stored = self.snapshot.tables.get(table, {})
            at_hand = known.tables.setdefault(table, {})
            assert not at_hand.keys() & set(keys), "asked for what is at hand"
            at_hand.update({key: _value(_text(stored.get(key))) for key in keys})
        for log, (start, stop) in needed.logs.items():
            entries = self.snapshot.logs[log]
            kept = {index: _value(_text(entries[index])) for index in range(start, stop)}
            known.logs.setdefault(log, {}).update(kept)

    def _keep(self, decision: Decision) -> None:
        self.texts |= {name: _text(value) for name, value in decision.sections.items()}
        self.commit(
            Decision(
                sections=_copy(decision.sections),
                tables=_copy(decision.tables),
                logs=_copy(decision.logs),
            )
        )


def _text(value: object) -> str:
    return json.dumps(value, allow_nan=False)


def _value(text: str) -> object:
    return cast("object", json.loads(text))


def _copy(value: T) -> T:
    return cast("T", _value(_text(value)))
