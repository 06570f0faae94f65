"""The floor: the least Redis work that gives the guarantee of a settled fire, written by hand.

On the same link as everything else, in the same shape: whoever records also waits, in one process,
and the worker is in another. Record and queue the fire with a nudge; read the queue; settle by
SET NX and announce; whoever subscribed before it read receives.
"""

from collections.abc import Sequence
from typing import cast

import anyio
from anyio.abc import TaskStatus

from onefate.broker.ledger.link import Link, Reply

_INPUT = b'{"amount":42}'
_RECEIPT = b'token 1796043701277 worker performed pay#1\n{"produced":{"order":"A-1773"}}'
_DAY_MS = 86_400_000
_AT_ONCE = 16


class _Names:
    """The keys and channels of the floor."""

    def __init__(self, namespace: str) -> None:
        self.prefix = f"{namespace}:{{floor}}:"
        self.work = f"{self.prefix}work"
        self.wake = f"{self.prefix}wake"
        self.nudge = f"{self.prefix}nudge"


class FloorPort:
    """Records and waits."""

    def __init__(self, link: Link, namespace: str) -> None:
        self._link = link
        self._names = _Names(namespace)
        self._waiting: dict[bytes, anyio.Event] = {}
        self._count = 0
        link.on_push(self._woken)

    async def begin(self) -> None:
        """Subscribe to announcements."""
        await self._link.subscribe(self._names.wake)

    async def live(self) -> None:
        """Play one whole life."""
        self._count += 1
        names, fire = self._names, str(self._count)
        woken = self._waiting[fire.encode()] = anyio.Event()
        await self._link.pipeline(
            [
                ("HSET", f"{names.prefix}f:{fire}", "a", "pay", "s", "open", "p", _INPUT),
                ("XADD", names.work, "*", "f", fire),
                ("PUBLISH", names.nudge, ""),
            ]
        )
        if await self._link.execute("GET", f"{names.prefix}d:{fire}") is None:
            await woken.wait()
        del self._waiting[fire.encode()]

    def _woken(self, channel: bytes, payload: bytes) -> None:
        waiter = self._waiting.get(payload)
        if channel == self._names.wake.encode() and waiter is not None:
            waiter.set()


class FloorWorker:
    """Reads the queue and settles."""

    def __init__(self, link: Link, namespace: str) -> None:
        self._link = link
        self._names = _Names(namespace)
        self._nudged = anyio.Event()
        link.on_push(self._hurried)

    async def run(self, *, task_status: TaskStatus[None]) -> None:
        """Settle whatever is queued, until cancelled."""
        work = self._names.work
        await self._link.subscribe(self._names.nudge)
        await self._link.execute("XGROUP", "CREATE", work, "w", "0", "MKSTREAM")
        task_status.started()
        while True:
            self._nudged = anyio.Event()
            reply = await self._link.execute(
                "XREADGROUP", "GROUP", "w", "c", "COUNT", _AT_ONCE, "STREAMS", work, ">"
            )
            entries = _entries(reply)
            for entry, fields in entries:
                await self._settle(entry, fields[1].decode())
            if len(entries) < _AT_ONCE:
                await self._nudged.wait()

    async def _settle(self, entry: bytes, fire: str) -> None:
        settlement = f"{self._names.prefix}d:{fire}"
        await self._link.pipeline(
            [
                ("SET", settlement, _RECEIPT, "NX", "PX", _DAY_MS),
                ("XACK", self._names.work, "w", entry),
                ("PUBLISH", self._names.wake, fire),
            ]
        )

    def _hurried(self, channel: bytes, _payload: bytes) -> None:
        if channel == self._names.nudge.encode():
            self._nudged.set()


def _entries(reply: Reply) -> Sequence[tuple[bytes, Sequence[bytes]]]:
    if not reply:
        return ()
    streams = cast("dict[bytes, list[tuple[bytes, list[bytes]]]]", reply)
    return next(iter(streams.values()))
