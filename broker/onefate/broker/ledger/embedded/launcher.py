"""One shared server for each state directory, whoever comes first starts it.

Theory of operation
-------------------
1. If the socket answers, there is a server: use it. This takes no lock and is the common case.
2. Otherwise take `lock`. Of any number of processes that start at once one goes on; the others
   find a server when their turn comes.
3. If `alive` can be taken no server lives on this directory, whatever files say: start one that
   inherits it. If it cannot, one lives and is starting, loading or ending: wait for which.
4. Ready means that it answers. If it ends instead, its own last words are the error.

Crash points: a starter killed before the start leaves two locks, which the kernel frees; after
the start, a server that the next process finds (1) or waits for (3). A server killed at any time
leaves a stale socket and process id, which are believed only while `alive` is held, and an
append-only file whose torn last record is dropped at the next start: it was never acknowledged,
as a reply follows the write of its record. A socket file removed by a temp cleaner cannot lead
to a second server on the same data, because of (3).

The server outlives its users. `stop` ends it; so does `reap_idle`, which runs when any server is
started and ends those of this user that nobody has used for a day. Users hold a lock each
(`lease`), so that "nobody" is a fact and not a guess.
"""

import os
import signal
import time
from pathlib import Path

from onefate.broker.ledger.embedded.binary import find_binary
from onefate.broker.ledger.embedded.command import arguments, await_ready, start_detached
from onefate.broker.ledger.embedded.layout import Layout, prepare
from onefate.broker.ledger.embedded.locks import holding, is_held, open_lock, try_lock
from onefate.broker.ledger.embedded.probe import Condition, probe
from onefate.broker.ledger.embedded.reaper import idle_directories, note
from onefate.broker.ledger.errors import EmbeddedRefused

_PAUSE = 0.01


def ensure_server(state_dir: Path, *, fsync_always: bool = False, patience: float = 60.0) -> Path:
    """Return the socket of the directory's one server, started if it has to be.

    Blocks; safe from any number of processes and threads at once. `fsync_always` applies to a
    server that is started, not to one that runs.

    Raises:
        EmbeddedRefused: the directory cannot be used, there is no binary, or it does not start.
    """
    layout = prepare(state_dir)
    if probe(layout.socket) is Condition.READY:
        return layout.socket
    with holding(layout.lock, patience):
        if probe(layout.socket) is not Condition.READY:
            _bring_up(layout, fsync_always=fsync_always, until=time.monotonic() + patience)
    return layout.socket


def stop(state_dir: Path, *, patience: float = 10.0) -> bool:
    """End the directory's server in good order and say whether there was one.

    Nothing acknowledged is lost: the next user's server reads it back.

    Raises:
        EmbeddedRefused: it does not end within the patience.
    """
    if not state_dir.is_dir():
        return False
    layout = prepare(state_dir)
    with holding(layout.lock, patience):
        process_id = layout.process_id()
        if not is_held(layout.alive):
            return False
        if process_id is not None:
            os.kill(process_id, signal.SIGTERM)
        until = time.monotonic() + patience
        while is_held(layout.alive):
            if time.monotonic() > until:
                raise EmbeddedRefused(f"process {process_id} does not end; kill it")
            time.sleep(_PAUSE)
    return True


def reap_idle() -> list[Path]:
    """End this user's servers that nobody has used for a day; return their directories."""
    return [directory for directory in idle_directories() if stop(directory)]


def _bring_up(layout: Layout, *, fsync_always: bool, until: float) -> None:
    """Start a server unless one lives; return when it answers. The caller holds `lock`."""
    while True:
        alive = open_lock(layout.alive)
        try:
            started = try_lock(alive)
            since = layout.log_size()
            if started:
                config = {"appendfsync": "always"} if fsync_always else {}
                start_detached(arguments(find_binary(), layout, config), layout, alive)
        finally:
            os.close(alive)
        if await_ready(layout, since, until):
            note(layout.directory)
            reap_idle()
            return
        if started:
            raise EmbeddedRefused(f"it ended while starting: {layout.log_tail(since)}")
