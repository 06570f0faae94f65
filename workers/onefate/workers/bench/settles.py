"""Settlements of one process: the ledger's door against plain `SET NX` through redis-py's pool.

Both have the same number of tasks at work at once, and take turns.
"""

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from operator import methodcaller
from typing import Final, cast

import anyio
from redis.asyncio import BlockingConnectionPool, Redis

from onefate.broker.ledger.broker import Broker
from onefate.broker.ledger.models import performed
from onefate.workers.bench import app
from onefate.workers.bench.figures import Report
from onefate.workers.bench.order import median
from onefate.workers.bench.place import place
from onefate.workers.bench.size import Size

_TASKS: Final = 200
_CONNECTIONS: Final = 16
_VALUE: Final = b"token 1796043701277 worker performed pay#1\n" + b"." * 120


async def settles(url: str, size: Size) -> Report:
    """Give settlements a second of the ledger's door over those of the pool."""
    rates: list[tuple[float, float]] = []
    async with (
        place(url) as here,
        here.broker() as broker,
        Redis.from_pool(_pool(url)) as plain,
    ):
        for turn in range(size.settle_rounds + 1):
            ids = await _recorded(broker, size.settles)
            keys = [f"{here.namespace}:plain:{turn}:{each}" for each in range(size.settles)]
            ours = await _rate(ids, _settling(broker))
            theirs = await _rate(keys, _setting(plain))
            rates.append((ours, theirs))
    rates = rates[1:]
    return Report(
        {"settle-rate": median([ours / theirs for ours, theirs in rates])},
        {
            "settlements a second": median([ours for ours, _ in rates]),
            "plain SET NX a second through redis-py's pool": median([each for _, each in rates]),
        },
    )


def _pool(url: str) -> BlockingConnectionPool:
    make = methodcaller("from_url", url, max_connections=_CONNECTIONS, timeout=None)
    return cast("BlockingConnectionPool", make(BlockingConnectionPool))


def _settling(broker: Broker) -> Callable[[str], Awaitable[object]]:
    ledger = broker.ledger("rate")
    outcome = performed(dict(app.PRODUCED))
    return lambda fire_id: ledger.settle(fire_id, outcome, by="worker")


def _setting(plain: "Redis") -> Callable[[str], Awaitable[object]]:
    return lambda key: cast("Awaitable[object]", plain.set(key, _VALUE, nx=True, px=600_000))


async def _recorded(broker: Broker, count: int) -> list[str]:
    ledger = broker.ledger("rate")
    ids: list[str] = []

    async def one(_: object) -> None:
        ids.append((await ledger.record("pay", dict(app.INPUT))).id)

    await _rate(map(str, range(count)), one)
    return ids


async def _rate(names: Iterable[str], act: Callable[[str], Awaitable[object]]) -> float:
    """Act on every name, so many tasks at once; give how many a second."""
    left = iter(list(names))
    done = 0

    async def share(rest: Iterator[str]) -> None:
        nonlocal done
        for name in rest:
            await act(name)
            done += 1

    began = time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(_TASKS):
            group.start_soon(share, left)
    return done / (time.perf_counter() - began)
