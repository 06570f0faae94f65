"""From settings to a link that is up."""

import asyncio
from typing import assert_never

from onefate.broker.ledger.embedded.node import EmbeddedNode
from onefate.broker.ledger.link.endpoint import Access, SingleNode
from onefate.broker.ledger.link.protocol import Link
from onefate.broker.ledger.link.redis_link import RedisLink
from onefate.broker.ledger.link.target import EmbeddedTarget, MemoryTarget, ServerTarget
from onefate.broker.ledger.memory import MemoryLink
from onefate.broker.ledger.settings import BrokerSettings, Durability


async def open_link(settings: BrokerSettings) -> Link:
    """Return a link that is up, to what the settings name.

    Raises:
        NotSent: nothing usable answered within the patience.
        Refused: what was found cannot be used, and the sentence says why.
        BadSetting: certificates or keys of the URL cannot be read.
    """
    policy = settings.link_policy()
    match settings.target:
        case ServerTarget(endpoint=endpoint, tls=tls) as server:
            access = Access(
                username=server.username,
                password=server.password,
                database=server.database,
                tls=await asyncio.to_thread(tls.context) if tls else None,
            )
            return await RedisLink.open(SingleNode(endpoint), access, policy)
        case EmbeddedTarget():
            always = settings.durability in {Durability.FSYNC, Durability.STRICT}
            node = EmbeddedNode(settings.directory, fsync_always=always)
            return await RedisLink.open(node, Access(), policy)
        case MemoryTarget(name=name):
            return await MemoryLink.open(name)
        case _ as never:
            assert_never(never)
