"""The floor: the least Redis work that gives the guarantee of a settled fire, written by hand.

On the same link as everything else, in the same shape: whoever records also waits, on one
connection, and the worker is on another. Record and queue the fire with a nudge; read the queue;
settle by SET NX and announce; whoever subscribed before it read receives.
"""

from typing import cast

import anyio
from anyio.abc import TaskStatus

from onefate.broker.ledger.link import Link, Reply

_INPUT = b'{"amount":42}'
_RECEIPT = b'token 1796043701277 worker performed pay#1\n{"produced":{"order":"A-1773"}}'
_DAY_MS = 86_400_000


class Floor:
    """One recorder and one worker on two links."""

    def __init__(self, near: Link, far: Link, namespace: str) -> None:
        self._near = near
        self._far = far
        self._prefix = f"{namespace}:{{floor}}:"
        self._work = f"{self._prefix}work"
        self._wake = f"{self._prefix}wake"
        self._nudge = f"{self._prefix}nudge"
        self._waiting: dict[bytes, anyio.Event] = {}
        self._nudged = anyio.Event()
        self._count = 0
        near.on_push(self._woken)
        far.on_push(self._hurried)

    async def work(self, *, task_status: TaskStatus[None]) -> None:
        """Settle whatever is queued, until cancelled."""
        await self._near.subscribe(self._wake)
        await self._far.subscribe(self._nudge)
        await self._far.execute("XGROUP", "CREATE", self._work, "w", "0", "MKSTREAM")
        task_status.started()
        while True:
            self._nudged = anyio.Event()
            reply = await self._far.execute(
                "XREADGROUP", "GROUP", "w", "c", "COUNT", 16, "STREAMS", self._work, ">"
            )
            if not reply:
                await self._nudged.wait()
                continue
            for entry, fields in _entries(reply):
                await self._settle(entry, fields[1])

    async def live(self) -> None:
        """Play one whole life."""
        self._count += 1
        fire = str(self._count).encode()
        woken = self._waiting[fire] = anyio.Event()
        await self._near.pipeline([
            ("HSET", f"{self._prefix}f:{self._count}", "a", "pay", "s", "open", "p", _INPUT),
            ("XADD", self._work, "*", "f", fire),
            ("PUBLISH", self._nudge, ""),
        ])
        if await self._near.execute("GET", f"{self._prefix}d:{self._count}") is None:
            await woken.wait()
        del self._waiting[fire]

    async def _settle(self, entry: bytes, fire: bytes) -> None:
        await self._far.pipeline([
            ("SET", f"{self._prefix}d:{fire.decode()}", _RECEIPT, "NX", "PX", _DAY_MS),
            ("XACK", self._work, "w", entry),
            ("PUBLISH", self._wake, fire),
        ])

    def _woken(self, channel: bytes, payload: bytes) -> None:
        waiter = self._waiting.get(payload)
        if channel == self._wake.encode() and waiter is not None:
            waiter.set()

    def _hurried(self, channel: bytes, _payload: bytes) -> None:
        if channel == self._nudge.encode():
            self._nudged.set()


def _entries(reply: Reply) -> list[tuple[bytes, list[bytes]]]:
    streams = cast("dict[bytes, list[tuple[bytes, list[bytes]]]]", reply)
    return next(iter(streams.values()))
