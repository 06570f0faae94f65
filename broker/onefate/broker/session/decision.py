"""What a decision is made from, and what it leaves behind: plain values, committed as a whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from onefate.broker.session.state import Receipt


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
    receipts: dict[str, Receipt] = field(default_factory=dict[str, Receipt])
    """Settlements written by this decision, by transition id; each at most once for ever."""
    warnings: list[str] = field(default_factory=list[str])
    """For the developer; a door says each text once."""

    def __bool__(self) -> bool:
        """Whether anything is to be committed."""
        return bool(self.sections or self.tables or self.logs or self.fires or self.receipts)
