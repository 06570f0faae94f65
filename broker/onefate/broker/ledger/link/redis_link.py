"""The link: one multiplexed connection to one node that heals itself.

Theory of operation
-------------------
One owner task locates, dials, enters, serves and, at the first loss, starts again. Everything
else only ever sees the current `Wire`, or None while there is none.

Rules
1. A command is attempted once. The link never repeats one: only its author knows whether a
   repeat is harmless (settle:lost-reply).
2. A command that was not handed to a wire did not happen (`NotSent`); one that was handed to a
   wire and not answered may have (`OutcomeUnknown`). There is no third case.
3. A wire becomes current only after it is entered: HELLO, credentials, database, a loaded
   master, and every remembered channel confirmed. Whoever is told "up" may read and know that
   nothing announced from then on is missed (wait:no-lost-wakeup).
4. Loss is an event, never a return value: the end of the stream, a heartbeat without an answer
   while nothing else arrives either, another role, another address, a READONLY reply.
5. Nothing grows without bound: open commands and buffered bytes are limited, callers beyond wait.

Crash points
- Before the write of the tick: the command is open on a wire that is lost, and counts as unknown.
- Between write and reply: unknown.
- After the reply arrived, before its caller ran: answered; the loss that follows changes nothing.
- While entering: nothing of any caller was sent; callers wait for the next wire.
- A caller cancelled at any of these leaves its command where it is and drops its reply.
- After a fork the child's calls are refused by process id, so that two processes never write to
  one socket.
"""

import asyncio
import logging
import random
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Self

import anyio
import hiredis

from onefate.broker.errors import OnefateError
from onefate.broker.ledger.errors import (
    BadSetting,
    EmbeddedRefused,
    LinkClosed,
    NotSent,
    OutcomeUnknown,
    PasswordRequired,
    PermissionDenied,
    ProtectedMode,
    ReadOnlyReplica,
    ServerRefused,
    ServerTooOld,
    TlsRefused,
    WrongDatabase,
    WrongLoop,
    WrongPassword,
    WrongProcess,
    refused,
)
from onefate.broker.ledger.link.commands import check_shared, name_of
from onefate.broker.ledger.link.endpoint import Access, Endpoint, Resolver
from onefate.broker.ledger.link.entering import Entrance, ServerFacts, reason, replication
from onefate.broker.ledger.link.policy import LinkPolicy
from onefate.broker.ledger.link.protocol import (
    Arg,
    LinkCounters,
    PushListener,
    Reply,
    Script,
    UpListener,
)
from onefate.broker.ledger.link.resp import RawReply
from onefate.broker.ledger.link.wire import Wire
from onefate.broker.ledger.process import HERE

logger = logging.getLogger(__name__)
_dice = random.SystemRandom()
_CHANNELS_AT_ONCE = 1000
_LASTING = (
    BadSetting,
    EmbeddedRefused,
    PasswordRequired,
    PermissionDenied,
    ProtectedMode,
    ServerTooOld,
    TlsRefused,
    WrongDatabase,
    WrongPassword,
)
"""Refusals that waiting does not mend: who waits for the link is told at once."""


class RedisLink:
    """A `Link` over one RESP3 connection to the node a resolver names."""

    def __init__(
        self, resolver: Resolver, access: Access | None = None, policy: LinkPolicy | None = None
    ) -> None:
        self._resolver = resolver
        self._policy = policy or LinkPolicy()
        self._loop = asyncio.get_running_loop()
        self._pid = HERE.id
        self._counters = LinkCounters()
        self._entrance = Entrance(access or Access(), self._policy, self._counters, self._message)
        self._wire: Wire | None = None
        self._facts = ServerFacts()
        self._trouble = "no answer yet"
        self._arrivals: list[asyncio.Future[OnefateError | None]] = []
        self._wanted: dict[str, None] = {}
        self._push_listeners: list[PushListener] = []
        self._up_listeners: list[UpListener] = []
        self._owner: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def open(
        cls, resolver: Resolver, access: Access | None = None, policy: LinkPolicy | None = None
    ) -> Self:
        """Return a link that is up.

        Raises:
            NotSent: nothing usable answered within the patience.
            Refused: what answered cannot be used, and waiting would not change that.
        """
        link = cls(resolver, access, policy)
        link._owner = asyncio.create_task(link._own(), name=f"onefate link {resolver.label}")
        try:
            await link._ready()
        except BaseException:
            await link.aclose()
            raise
        return link

    @property
    def topology(self) -> str:
        """The server's replication id: another one after every restart and promotion.

        A heartbeat tells of one that a master takes while it runs. Empty where the user of the URL
        may not ask for it.
        """
        return self._facts.replication_id

    @property
    def facts(self) -> ServerFacts:
        """What the server said of itself when the current connection was entered."""
        return self._facts

    @property
    def counters(self) -> LinkCounters:
        """The live counters of this link."""
        return self._counters

    async def execute(self, *args: Arg) -> Reply:
        """Make one attempt at a command; see `Link.execute`."""
        check_shared(args)
        wire = self._roomy() or await self._ready()
        reply = await wire.send(args)
        if isinstance(reply, hiredis.ReplyError):
            raise self._refusal(wire, reply, args)
        return reply

    async def run(self, script: Script, keys: Sequence[Arg], args: Sequence[Arg]) -> Reply:
        """Run a script by digest, else by source; see `Link.run`."""
        wire = self._roomy() or await self._ready()
        command = ("EVALSHA", script.sha, len(keys), *keys, *args)
        reply = await wire.send(command)
        if not isinstance(reply, hiredis.ReplyError):
            return reply
        refusal = self._refusal(wire, reply, command)
        if refusal.kind != "NOSCRIPT":
            raise refusal
        self._counters.script_loads += 1
        return await self.execute("EVAL", script.source, *command[2:])

    async def pipeline(self, commands: Sequence[Sequence[Arg]]) -> list[Reply | ServerRefused]:
        """Send commands as neighbours in one write; see `Link.pipeline`."""
        wire = self._roomy()
        for command in commands:
            check_shared(command)
        if not commands:
            return []
        wire = wire or await self._ready()
        replies = await wire.send_all(commands)
        return [
            self._refusal(wire, reply, command) if isinstance(reply, hiredis.ReplyError) else reply
            for reply, command in zip(replies, commands, strict=True)
        ]

    async def subscribe(self, channel: str) -> None:
        """Remember the channel and return once it is confirmed; see `Link.subscribe`."""
        self._check_caller()
        self._wanted[channel] = None
        while channel in self._wanted:
            wire = self._wire or await self._live()
            confirmed = wire.subscribed.get(channel) or wire.subscribe([channel])
            try:
                reply = await asyncio.shield(confirmed)
            except OutcomeUnknown:
                continue
            if isinstance(reply, hiredis.ReplyError):
                wire.subscribed.pop(channel, None)
                self._wanted.pop(channel, None)
                raise refused(str(reply), "SUBSCRIBE")
            return

    async def unsubscribe(self, channel: str) -> None:
        """Forget the channel, then tell the server; see `Link.unsubscribe`."""
        self._check_caller()
        self._wanted.pop(channel, None)
        wire = self._wire
        if wire is not None and channel in wire.subscribed:
            try:
                await wire.unsubscribe([channel])
            except OutcomeUnknown:
                return

    def on_push(self, fn: PushListener) -> None:
        """Call `fn` for every message; see `Link.on_push`."""
        self._push_listeners.append(fn)

    def on_up(self, fn: UpListener) -> None:
        """Await `fn` after every connect from the next one on; see `Link.on_up`."""
        self._up_listeners.append(fn)

    async def aclose(self) -> None:
        """Close the connection and end the owner task; a second call does nothing."""
        self._closed = True
        owner, self._owner = self._owner, None
        if owner is not None and self._pid == HERE.id:
            owner.cancel()
            await asyncio.wait([owner])
        self._tell(None)

    # Callers

    def _check_caller(self) -> None:
        if HERE.id != self._pid:
            raise WrongProcess(self._pid, HERE.id)
        if asyncio.get_running_loop() is not self._loop:
            raise WrongLoop
        if self._closed:
            raise LinkClosed

    def _roomy(self) -> Wire | None:
        """Give the wire on which the caller may send at once, None where it has to wait."""
        self._check_caller()
        wire = self._wire
        return wire if wire is not None and wire.has_room() else None

    async def _ready(self) -> Wire:
        """Wait for a live wire with room, for at most the patience."""
        try:
            async with asyncio.timeout(self._policy.patience):
                while True:
                    wire = self._wire or await self._live(tell=True)
                    if wire.has_room() or await wire.room():
                        return wire
                    self._trouble = wire.lost.result()
        except TimeoutError:
            cause = self._trouble if self._wire is None else "it takes no more commands"
            raise NotSent(self._resolver.label, self._policy.patience, cause) from None

    async def _live(self, *, tell: bool = False) -> Wire:
        """Wait for a live wire; with `tell`, raise a refusal that waiting does not mend."""
        while self._wire is None:
            if self._closed:
                raise LinkClosed
            arrival: asyncio.Future[OnefateError | None] = self._loop.create_future()
            self._arrivals.append(arrival)
            told = await arrival
            if told is not None and tell:
                raise copy(told)
        return self._wire

    def _tell(self, outcome: OnefateError | None) -> None:
        arrivals, self._arrivals = self._arrivals, []
        for arrival in arrivals:
            if not arrival.done():
                arrival.set_result(outcome)

    def _refusal(
        self, wire: Wire, reply: hiredis.ReplyError, command: Sequence[Arg]
    ) -> ServerRefused:
        refusal = refused(str(reply), name_of(command))
        if isinstance(refusal, ReadOnlyReplica):
            wire.lose("it became a replica")
        return refusal

    # The owner task

    async def _own(self) -> None:
        backoff = self._policy.backoff_first
        while True:
            try:
                endpoint = await self._resolver.locate()
                wire, facts = await self._connect(endpoint)
            except (OSError, OnefateError) as cause:
                self._trouble = reason(cause, self._policy)
                if isinstance(cause, _LASTING):
                    self._tell(cause)
            except Exception as cause:
                logger.exception("the link to %s met what it does not know", self._resolver.label)
                self._trouble = reason(cause, self._policy)
            else:
                backoff = self._policy.backoff_first
                await self._serve(wire, endpoint, facts)
            await asyncio.sleep(backoff * _dice.uniform(0.5, 1))
            backoff = min(backoff * 2, self._policy.backoff_most)

    async def _connect(self, endpoint: Endpoint) -> tuple[Wire, ServerFacts]:
        wire, facts = await self._entrance.enter(endpoint)
        try:
            async with asyncio.timeout(self._policy.deadline):
                await self._resubscribe(wire)
        except BaseException:
            wire.lose("it was not entered")
            raise
        return wire, facts

    async def _resubscribe(self, wire: Wire) -> None:
        while missing := [each for each in self._wanted if each not in wire.subscribed]:
            chunk = missing[:_CHANNELS_AT_ONCE]
            reply = await wire.subscribe(chunk)
            if isinstance(reply, hiredis.ReplyError):
                raise refused(str(reply), "SUBSCRIBE")
        surplus = [each for each in wire.subscribed if each not in self._wanted]
        if surplus:
            await wire.unsubscribe(surplus)
            await self._resubscribe(wire)

    async def _serve(self, wire: Wire, endpoint: Endpoint, facts: ServerFacts) -> None:
        if wire.lost.done():
            self._trouble = wire.lost.result()
            return
        wire.on_loss = partial(self._mourn, wire)
        self._facts = facts
        self._wire = wire
        self._counters.connects += 1
        self._tell(None)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._beat, wire, endpoint)
                for listener in self._up_listeners:
                    group.start_soon(self._announce, listener)
                await asyncio.wait([wire.lost])
                group.cancel_scope.cancel()
        finally:
            wire.lose("the link was closed")

    def _mourn(self, wire: Wire) -> None:
        """Forget the current wire in the very step that lost it."""
        self._trouble = wire.lost.result()
        self._wire = None
        self._counters.losses += 1

    async def _announce(self, listener: UpListener) -> None:
        try:
            await listener()
        except OnefateError as cause:
            logger.info("a listener for reconnects gave up: %s", cause)
        except Exception:
            logger.exception("a listener for reconnects failed")

    async def _beat(self, wire: Wire, endpoint: Endpoint) -> None:
        asks: Sequence[str] = ("PING",)
        if self._resolver.failover:
            asks = ("INFO", "replication") if self._facts.replication_id else ("ROLE",)
        while not wire.lost.done():
            await asyncio.sleep(self._policy.heartbeat)
            reply = await self._answer(wire, asks)
            self._counters.heartbeats += 1
            if isinstance(reply, hiredis.ReplyError):
                asks = ("PING",)
            role, history = replication(reply)
            if role not in ("", "master"):
                wire.lose("it became a replica")
            elif history:
                self._facts = replace(self._facts, replication_id=history)
            if await self._resolver.moved(endpoint):
                wire.lose("the data moved to another address")

    async def _answer(self, wire: Wire, question: Sequence[str]) -> RawReply:
        """Wait for one answer for as long as bytes arrive at all within the deadline."""
        answer = wire.send(question)
        while not answer.done():
            seen = wire.bytes_in
            await asyncio.wait([answer], timeout=self._policy.deadline)
            if not answer.done() and wire.bytes_in == seen:
                wire.lose(f"no heartbeat within {self._policy.deadline:g} s")
        return None if wire.lost.done() else answer.result()

    def _message(self, channel: bytes, payload: bytes) -> None:
        for listener in self._push_listeners:
            try:
                listener(channel, payload)
            except Exception:
                logger.exception("a listener for messages failed")
