"""The turns a recorded conversation is made of, and how an answer is held to what is expected."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, cast


class Missing:
    """Stands in an expectation for a key that must be absent."""

    def __repr__(self) -> str:
        return "absent"


MISSING: Final = Missing()
Expected: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The agent calls a tool through a port."""

    says: str
    via: str
    tool: str
    args: dict[str, object]
    expect: Expected
    fire: str | None = None
    """The name under which the answer's transition id is remembered."""
    card: str | None = None
    """The name under which the answer's ask id is remembered."""

    @property
    def who(self) -> str:
        """Say who acts."""
        return f"port {self.via}"

    @property
    def what(self) -> str:
        """Say what is done."""
        return f"{self.tool} {json.dumps(self.args)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A port is asked to wait for a fire's settlement."""

    says: str
    via: str
    fire: str
    expect: Expected

    @property
    def who(self) -> str:
        """Say who acts."""
        return f"port {self.via}"

    @property
    def what(self) -> str:
        """Say what is done."""
        return f"when_settled({self.fire})"


@dataclass(frozen=True, slots=True, kw_only=True)
class StillOpen:
    """A port is asked at once, and must say that the fire is in flight."""

    says: str
    via: str
    fire: str

    @property
    def who(self) -> str:
        """Say who acts."""
        return f"port {self.via}"

    @property
    def what(self) -> str:
        """Say what is done."""
        return f"settled_answer({self.fire})"


@dataclass(frozen=True, slots=True, kw_only=True)
class KilledWaiting:
    """A port is killed with -9 while it waits for a fire; its question ends unanswered."""

    says: str
    port: str
    fire: str

    @property
    def who(self) -> str:
        """Say who acts."""
        return f"port {self.port}"

    @property
    def what(self) -> str:
        """Say what is done."""
        return f"kill -9 during when_settled({self.fire})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarted:
    """A new process takes the killed port's place."""

    says: str
    port: str

    @property
    def who(self) -> str:
        """Say who acts."""
        return f"port {self.port}"

    @property
    def what(self) -> str:
        """Say what is done."""
        return "started again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """Somebody outside says how a fire came to rest, with evidence."""

    says: str
    fire: str
    source: str
    status: str
    evidence: str

    @property
    def who(self) -> str:
        """Say who acts."""
        return "outside"

    @property
    def what(self) -> str:
        """Say what is done."""
        return f"{self.source}: {self.fire} {self.status} ({self.evidence})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    """A person answers a card with yes, at the person's own door."""

    says: str
    card: str
    by: str

    @property
    def who(self) -> str:
        """Say who acts."""
        return "person"

    @property
    def what(self) -> str:
        """Say what is done."""
        return f"{self.by}: yes to {self.card}"


Question: TypeAlias = Call | Wait | StillOpen
"""What an agent asks through a port."""
Event: TypeAlias = KilledWaiting | Restarted | Reported | Approved
"""What happens around it."""
Turn: TypeAlias = Question | Event


def differences(expected: object, given: object, path: str = "") -> list[str]:
    """Name each place where an answer is not as expected; keys nobody expected are fine."""
    where = path or "the answer"
    if expected is MISSING:
        return [f"{where} should be absent"]
    if isinstance(expected, Mapping):
        if not isinstance(given, Mapping):
            return [f"{where} is {given!r}, not an object"]
        return _members(cast("Expected", expected), cast("Expected", given), path)
    same = type(expected) is type(given) and expected == given
    return [] if same else [f"{where} is {given!r}, not {expected!r}"]


def _members(expected: Expected, given: Expected, path: str) -> list[str]:
    found: list[str] = []
    for key, value in expected.items():
        inner = f"{path}.{key}" if path else key
        if key in given:
            found += differences(value, given[key], inner)
        elif value is not MISSING:
            found.append(f"{inner} is absent, not {value!r}")
    return found
