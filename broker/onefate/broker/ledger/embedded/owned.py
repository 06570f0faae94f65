"""A private server that ends with the process that started it, also when that is killed.

For tests and demonstrations. A shell waits on a pipe whose other end the owner holds; when the
owner ends in any way the kernel closes it, and the shell ends the server.
"""

import fcntl
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from onefate.broker.ledger.embedded.binary import Binary, find_binary
from onefate.broker.ledger.embedded.command import arguments, await_ready, environment
from onefate.broker.ledger.embedded.layout import prepare
from onefate.broker.ledger.embedded.locks import is_held, open_lock, try_lock
from onefate.broker.ledger.errors import EmbeddedRefused

_WATCH = """
exec 3<&0
"$@" 3<&- & server=$!
{ read -r _; kill "$server"; kill -CONT "$server"; } <&3 & reader=$!
wait "$server"
kill "$reader"
"""
_PAUSE = 0.005
_SHELLS = 10


class OwnedServer:
    """One server of this process on a directory, restartable, on a socket and maybe a port."""

    def __init__(
        self,
        directory: Path,
        *,
        binary: Binary | None = None,
        port: int = 0,
        config: Mapping[str, str] | None = None,
    ) -> None:
        self._layout = prepare(directory)
        self._binary = binary or find_binary()
        self._config = {"port": str(port), **(config or {})}
        self._watcher: subprocess.Popen[bytes] | None = None
        self.port = port

    @property
    def socket(self) -> Path:
        """The unix socket."""
        return self._layout.socket

    @property
    def url(self) -> str:
        """The URL of the port if it has one, else of the socket."""
        return f"redis://127.0.0.1:{self.port}" if self.port else f"unix://{self.socket}"

    @property
    def process_id(self) -> int:
        """The server's process id.

        Raises:
            EmbeddedRefused: it is not running.
        """
        found = self._layout.process_id()
        if found is None or not self.is_running:
            raise EmbeddedRefused("it is not running")
        return found

    @property
    def is_running(self) -> bool:
        """Whether the server lives."""
        return is_held(self._layout.alive)

    def start(self, patience: float = 20.0) -> None:
        """Start the server on whatever the directory holds and return when it answers.

        Raises:
            EmbeddedRefused: it runs already, or ends while starting.
        """
        self._end_watcher(patience)
        since = self._layout.log_size()
        alive = _beyond_the_shell(open_lock(self._layout.alive))
        try:
            if not try_lock(alive):
                raise EmbeddedRefused(f"a server already runs on {self._layout.directory}")
            command = arguments(self._binary, self._layout, self._config)
            self._watcher = subprocess.Popen(  # noqa: S603 - every word is ours
                ["/bin/sh", "-c", _WATCH, "onefate", *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment(),
                pass_fds=(alive,),
                start_new_session=True,
            )
        finally:
            os.close(alive)
        if not await_ready(self._layout, since, time.monotonic() + patience):
            self._end_watcher(patience)
            raise EmbeddedRefused(f"it ended while starting: {self._layout.log_tail(since)}")

    def stop(self, patience: float = 20.0) -> None:
        """End the server in good order; a second call does nothing."""
        self._end_watcher(patience)

    def kill(self) -> None:
        """Kill the server as a crash would, and return when it is gone."""
        os.kill(self.process_id, signal.SIGKILL)
        while self.is_running:
            time.sleep(_PAUSE)

    def pause(self) -> None:
        """Freeze the server: it keeps its connections and answers nothing."""
        os.kill(self.process_id, signal.SIGSTOP)

    def resume(self) -> None:
        """Let a frozen server go on."""
        os.kill(self.process_id, signal.SIGCONT)

    def _end_watcher(self, patience: float) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.communicate(timeout=patience)


def _beyond_the_shell(descriptor: int) -> int:
    """Move a descriptor above the single digits, which the watching shell uses itself."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _SHELLS)
    finally:
        os.close(descriptor)


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens on now."""
    with socket.socket() as probing:
        probing.bind(("127.0.0.1", 0))
        port: int = probing.getsockname()[1]
        return port
