"""How a private server is started and when it counts as started.

Durable by default: an append-only file written before each reply, so that a kill of any process
loses nothing acknowledged; no eviction; no network. The server inherits the lock `alive` and so
holds it exactly as long as it lives: no stale process id can be mistaken for a server.
"""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence

from onefate.broker.ledger.embedded.binary import Binary
from onefate.broker.ledger.embedded.layout import Layout
from onefate.broker.ledger.embedded.locks import is_held
from onefate.broker.ledger.embedded.probe import Condition, probe
from onefate.broker.ledger.errors import EmbeddedRefused

_PAUSE = 0.005


def arguments(binary: Binary, layout: Layout, config: Mapping[str, str]) -> list[str]:
    """Return the command line; `config` is laid over the durable defaults."""
    settings = {
        "port": "0",
        "unixsocket": str(layout.socket),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "aof-load-truncated": "yes",
        "maxmemory-policy": "noeviction",
        "dir": str(layout.directory),
        "logfile": str(layout.log),
        "pidfile": str(layout.pid),
        **config,
    }
    words = (word for name, value in settings.items() for word in (f"--{name}", value))
    return [str(binary.path), *words]


def environment() -> dict[str, str]:
    """Return the caller's environment with a locale every server accepts."""
    return {**os.environ, "LC_ALL": "C"}


def start_detached(command: Sequence[str], layout: Layout, alive: int) -> None:
    """Start a server that outlives its starter and belongs to no terminal.

    Raises:
        EmbeddedRefused: it did not even begin to run.
    """
    try:
        said = subprocess.run(  # noqa: S603 - every word is ours
            [*command, "--daemonize", "yes"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(),
            pass_fds=(alive,),
            start_new_session=True,
            check=False,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired) as cause:
        raise EmbeddedRefused(f"{command[0]} does not run ({cause})") from cause
    if said.returncode:
        lines = said.stdout.decode("utf-8", "replace").split("\n")
        words = next((line for line in reversed(lines) if line.strip()), layout.log_tail())
        raise EmbeddedRefused(f"{command[0]} does not start: {words.strip()}")


def await_ready(layout: Layout, since: int, until: float) -> bool:
    """Return True once the server answers, and False when it is gone.

    Raises:
        EmbeddedRefused: it lives but did not answer by `until` (monotonic).
    """
    while True:
        condition = probe(layout.socket)
        if condition is Condition.READY:
            return True
        if not is_held(layout.alive):
            return False
        if time.monotonic() > until:
            raise EmbeddedRefused(
                f"process {layout.process_id()} runs it on {layout.directory} but is {condition} "
                f"at {layout.socket} ({layout.log_tail(since)}); end that process"
            )
        time.sleep(_PAUSE)
