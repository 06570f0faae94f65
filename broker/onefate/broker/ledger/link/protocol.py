"""What the ledger may ask of a connection to the store, whatever carries it.

`RedisLink` (one multiplexed RESP3 connection) and `MemoryLink` (fakeredis, in process) implement
`Link`, so the ledger is one code path over both.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, fields
from hashlib import sha1
from typing import Protocol, TypeAlias

from onefate.broker.ledger.errors import ServerRefused

Arg: TypeAlias = str | bytes | int | float
"""One word of a command; numbers are written in their decimal form."""

Reply: TypeAlias = bool | int | float | bytes | list["Reply"] | dict["Reply", "Reply"] | None
"""One decoded RESP3 reply; every string is `bytes`."""

PushListener: TypeAlias = Callable[[bytes, bytes], None]
UpListener: TypeAlias = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Script:
    """One Lua script under its name, with the digest the server caches it by."""

    name: str
    source: str = field(repr=False)
    sha: str = field(init=False)

    def __post_init__(self) -> None:
        digest = sha1(self.source.encode(), usedforsecurity=False).hexdigest()
        object.__setattr__(self, "sha", digest)


@dataclass(slots=True)
class LinkCounters:
    """What one link did since it was opened; only ever grows."""

    connects: int = 0
    losses: int = 0
    commands: int = 0
    writes: int = 0
    pushes: int = 0
    heartbeats: int = 0
    held_back: int = 0
    script_loads: int = 0
    bytes_out: int = 0
    bytes_in: int = 0

    def as_dict(self) -> dict[str, int]:
        """Return the counters by name, as metrics and the doctor show them."""
        return {each.name: int(getattr(self, each.name)) for each in fields(self)}


class Link(Protocol):
    """A self-healing connection to one history of data.

    Every coroutine may be called by any number of tasks at once, on the loop and in the process
    that opened the link. Cancelling one abandons its reply and nothing else: a command already
    written still happens.
    """

    @property
    def topology(self) -> str:
        """Name the history being served; another value means acknowledged writes may be gone."""
        ...

    @property
    def counters(self) -> LinkCounters:
        """Return the live counters of this link."""
        ...

    async def execute(self, *args: Arg) -> Reply:
        """Make one attempt at a command on the live connection.

        While the link is down the call waits, for at most the patience it was opened with.

        Raises:
            NotSent: the link stayed down for the whole patience; nothing was written.
            OutcomeUnknown: the link was lost after the command was written.
            ServerRefused: the server answered with an error.
            BadInput: the command may not share a connection, or the link is not the caller's.
        """
        ...

    async def run(self, script: Script, keys: Sequence[Arg], args: Sequence[Arg]) -> Reply:
        """Run a script by its digest, and by its source where the server does not know it yet.

        Raises what `execute` raises.
        """
        ...

    async def pipeline(self, commands: Sequence[Sequence[Arg]]) -> list[Reply | ServerRefused]:
        """Send commands in one write and return their replies in order, refusals among them.

        Other callers' commands may not come between them, but they are no transaction.

        Raises:
            NotSent, OutcomeUnknown, BadInput: as `execute`, for all of them together.
        """
        ...

    async def subscribe(self, channel: str) -> None:
        """Return once the server confirmed the subscription, however often the link is lost first.

        The channel is remembered across reconnects until `unsubscribe`, also when this call is
        cancelled. Callers that share a channel count their references themselves.

        Raises:
            ServerRefused: the server forbids the channel.
        """
        ...

    async def unsubscribe(self, channel: str) -> None:
        """Forget the channel at once, and return once the server confirmed or the link was lost."""
        ...

    def on_push(self, fn: PushListener) -> None:
        """Call `fn(channel, payload)` synchronously for every message, in the order of arrival."""
        ...

    def on_up(self, fn: UpListener) -> None:
        """Await `fn()` after every (re)connect, once all remembered channels are confirmed.

        It is cancelled when that connection is lost. Commands of others need not wait for it.
        """
        ...

    async def aclose(self) -> None:
        """Close the connection and end every task of the link; a second call does nothing."""
        ...
