"""Work queues as a worker sees them: read after nudges, claim once, finish.

Theory of operation
1. Reading never blocks: a nudge marks a partition, `take` reads what is marked. A reply that was
   lost left its entries in this consumer's history, so after every connect that history is read
   before anything new.
2. An entry only names a fire. `claim` decides on the fire itself who may start it
   (fire:started-once); the entry of a fire that starts once is finished with its claim, that of a
   repeatable one when it settles.
3. Entries of consumers that went silent are taken over by a slow sweep.
4. A nudge names its entry. A consumer that is idle claims that fire at once, without reading: the
   claim decides, and takes the entry out of the stream, whoever was given it. A busy one reads the
   stream when it is ready, which is how work spreads over busy consumers.
"""

import asyncio
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

import anyio

from onefate.broker.errors import OnefateError
from onefate.broker.ledger import scripts
from onefate.broker.ledger.changes import Entry
from onefate.broker.ledger.claims import Claim, Claims, NotClaimed
from onefate.broker.ledger.codec import fields_of
from onefate.broker.ledger.context import Context
from onefate.broker.ledger.errors import ServerRefused
from onefate.broker.ledger.ids import checked_name, partition_of
from onefate.broker.ledger.keys import GROUP, Partition, partitions
from onefate.broker.ledger.link import Arg, Reply
from onefate.broker.ledger.store import text, words

SWEEP: Final = 60.0
SILENCE_MS: Final = 30_000
HINTS: Final = 16
_HISTORY: Final = 1000
_dice: Final = random.SystemRandom()


class Queue:
    """One consumer of one queue; open it with `async with broker.queue(...)`.

    With a session, only work of that session is given: the queue of a process beside one session.
    Sessions that share a queue's name may share its stream; what is read of another one is left to
    be taken over by whoever works for that.
    """

    def __init__(
        self, context: Context, name: str, worker: str, *, session: str | None = None
    ) -> None:
        self.name = checked_name("queue", name)
        self.worker = checked_name("worker", worker, 40)
        self._store = context.store
        self._claims = Claims(context.store, context.reassertion)
        settings = context.store.settings
        self._streams = (
            tuple(partitions(settings.namespace, settings.database))
            if session is None
            else (Partition(partition_of(session), settings.namespace, settings.database),)
        )
        self._of = {each.index: each for each in self._streams}
        self._name = self.name.encode()
        self._session = session
        self._nudges = context.nudges
        self._channels = [each.nudge for each in self._streams]
        self._by_channel = {each.nudge.encode(): each for each in self._streams}
        self._marked: set[int] = set(self._of)
        self._history: set[int] = set(self._of)
        self._held: set[tuple[int, str]] = set()
        self._hints: list[Entry] = []
        self._idle = False
        self._nudge = asyncio.Event()
        self._nudge.set()
        self._sweep: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        """Join the group of every partition's stream, and hear its nudges."""
        for each in self._streams:
            await self._join(each)
        await self._nudges.join(self, self._channels)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the groups where nothing is held; what is held is taken over by others.

        A stream that is empty is gone with its last consumer.
        """
        link = self._store.link
        if self._sweep is not None:
            self._sweep.cancel()
        with (
            suppress(OnefateError),
            anyio.move_on_after(self._store.settings.deadline, shield=True),
        ):
            await self._nudges.leave(self, self._channels)
            for each in self._streams:
                await link.run(scripts.RETIRE, [each.work(self.name)], [self.worker])

    async def wait(self) -> None:
        """Return once there may be work: after a nudge, a reconnect, or when a sweep is due."""
        self._idle = True
        try:
            await self._nudge.wait()
        finally:
            self._idle = False

    async def take(self, limit: int = 16) -> list[Entry]:
        """Read up to `limit` entries that nobody else has, without blocking.

        Each is this consumer's until it is claimed, released, or taken over after a silence.
        """
        self._nudge.clear()
        taken: list[Entry] = []
        try:
            await self._read_all(taken, limit)
        except BaseException:
            self._held.difference_update((each.partition, each.entry) for each in taken)
            self.reconnected()
            raise
        self._take_hints(taken, limit)
        if self._marked:
            self._nudge.set()
        return taken

    async def _read_all(self, taken: list[Entry], limit: int) -> None:
        if self._sweep is None:
            pause = SWEEP * _dice.uniform(0.75, 1.25)
            self._sweep = asyncio.get_running_loop().call_later(pause, self._sweep_is_due)
            taken += await self._take_over(limit)
        for index in tuple(self._history):
            taken += await self._read_history(self._of[index])
            self._history.discard(index)
        for index in tuple(self._marked):
            if len(taken) >= limit:
                break
            taken += await self._read_new(self._of[index], limit - len(taken))

    async def claim(self, entry: Entry, *, lease_ms: int = SILENCE_MS) -> Claim | NotClaimed:
        """Claim the entry's fire for this worker (fire:started-once)."""
        answer = await self._claims.claim(entry, self.worker, lease_ms=lease_ms)
        if not (isinstance(answer, Claim) and answer.repeatable):
            self.release(entry)
        return answer

    def release(self, entry: Entry) -> None:
        """Hold an entry no more: if it is still in the stream, a sweep finds it again."""
        self._held.discard((entry.partition, entry.entry))

    async def beat(self, claim: Claim) -> bool:
        """Say that this worker is alive; False: the claim is not the current one any more."""
        return await self._claims.beat(claim, self.worker)

    async def done(self, entry: Entry) -> None:
        """Finish an entry: it is not delivered again."""
        stream = self._of[entry.partition].work(self.name)
        await self._store.command("XACK", stream, GROUP, entry.entry)
        await self._store.command("XDEL", stream, entry.entry)
        self.release(entry)

    async def _read_new(self, each: Partition, limit: int) -> list[Entry]:
        """Read what is new; a nudge that comes meanwhile leaves the partition marked."""
        self._marked.discard(each.index)
        reply = await self._read(each, ">", limit)
        if reply is None or len(reply) >= limit:
            self._marked.add(each.index)
        return list(self._entries(each, reply or ()))

    async def _read_history(self, each: Partition) -> list[Entry]:
        found: list[Entry] = []
        after = "0"
        while reply := await self._read(each, after, _HISTORY):
            found += self._entries(each, reply)
            after = text(words(reply[-1])[0])
        return found

    async def _read(self, each: Partition, after: str, limit: int) -> Sequence[Reply] | None:
        """Read one stream; None when its group had to be made again."""
        reply = await self._of_group(
            each, "XREADGROUP", "GROUP", GROUP, self.worker, "COUNT", limit,
            "STREAMS", each.work(self.name), after,
        )  # fmt: skip
        if reply is None:
            return None
        if not reply:
            return []
        if isinstance(reply, dict):
            return words(next(iter(reply.values())))
        return words(words(words(reply)[0])[1])

    async def _take_over(self, limit: int) -> list[Entry]:
        found: list[Entry] = []
        for each in self._streams:
            if len(found) >= limit:
                break
            reply = await self._of_group(
                each, "XAUTOCLAIM", each.work(self.name), GROUP, self.worker, SILENCE_MS, "0",
                "COUNT", limit - len(found),
            )  # fmt: skip
            found += self._entries(each, words(words(reply)[1]) if reply else ())
        return found

    async def _of_group(self, each: Partition, *command: Arg) -> Reply:
        """Ask as a member of the group; None when the store had lost it and it was made again."""
        try:
            return await self._store.command(*command) or []
        except ServerRefused as refusal:
            if not _says(refusal, "NOGROUP"):
                raise
            await self._join(each)
            return None

    def _entries(self, each: Partition, reply: Sequence[Reply]) -> Iterator[Entry]:
        for item in reply:
            entry, fields = words(item)
            held = (each.index, text(entry))
            if fields and held not in self._held:
                named = fields_of(words(fields))
                if not self._is_ours(named["s"]):
                    continue
                self._held.add(held)
                yield Entry(self.name, each.index, text(entry), named["s"], named["f"])

    def _is_ours(self, session: str) -> bool:
        return self._session is None or session == self._session

    async def _join(self, each: Partition) -> None:
        try:
            await self._store.command(
                "XGROUP", "CREATE", each.work(self.name), GROUP, "0", "MKSTREAM"
            )
        except ServerRefused as refusal:
            if not _says(refusal, "BUSYGROUP"):
                raise

    def nudged(self, channel: bytes, payload: bytes) -> None:
        """Take the entry a nudge names where this consumer is idle; else mark its partition."""
        queue, *names = payload.split(b"\n")
        if queue != self._name:
            return
        partition = self._by_channel[channel]
        if not self._is_ours(names[1].decode()):
            return
        if self._idle and len(self._hints) < HINTS and partition.index not in self._marked:
            entry, session, fire_id = (word.decode() for word in names)
            self._hints.append(Entry(self.name, partition.index, entry, session, fire_id))
        else:
            self._marked.add(partition.index)
        self._nudge.set()

    def _take_hints(self, taken: list[Entry], limit: int) -> None:
        hints, self._hints = self._hints, []
        for each in hints:
            held = (each.partition, each.entry)
            if held in self._held:
                continue
            if len(taken) < limit:
                self._held.add(held)
                taken.append(each)
            else:
                self._marked.add(each.partition)

    def _sweep_is_due(self) -> None:
        self._sweep = None
        self._marked.update(self._of)
        self._nudge.set()

    def reconnected(self) -> None:
        """Mark every partition: nudges and replies may have been lost."""
        self._marked.update(self._of)
        self._history.update(self._of)
        self._nudge.set()


def _says(refusal: ServerRefused, word: str) -> bool:
    return word in (refusal.kind, *refusal.detail.split(" ", 2)[:2])
