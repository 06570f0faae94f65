"""The private server as an address: started when a link dials, and again when it is gone."""

import asyncio
from pathlib import Path

from onefate.broker.ledger.embedded.launcher import ensure_server
from onefate.broker.ledger.embedded.layout import prepare
from onefate.broker.ledger.embedded.reaper import Lease
from onefate.broker.ledger.link.endpoint import Endpoint


class EmbeddedNode:
    """A `Resolver` of the one server of a state directory; holds a lease while it is in use."""

    def __init__(self, state_dir: Path, *, fsync_always: bool = False) -> None:
        self._state_dir = state_dir
        self._fsync_always = fsync_always
        self._lease: Lease | None = None

    @property
    def failover(self) -> bool:
        """No other server ever takes over."""
        return False

    @property
    def label(self) -> str:
        """The directory."""
        return f"the embedded server of {self._state_dir}"

    async def locate(self) -> Endpoint:
        """Return the socket of a server that answers, started if it has to be.

        Raises:
            EmbeddedRefused: it cannot run here.
        """
        return Endpoint(path=str(await asyncio.to_thread(self._ensure)))

    async def moved(self, endpoint: Endpoint) -> bool:
        """Return False: the socket of a directory never changes."""
        del endpoint
        return False

    def _ensure(self) -> Path:
        if self._lease is None:
            self._lease = Lease(prepare(self._state_dir))
        return ensure_server(self._state_dir, fsync_always=self._fsync_always)
