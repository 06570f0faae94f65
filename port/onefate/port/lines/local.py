"""Sockets in the file system, over the loop's own transports.

The streams anyio makes of local sockets register callbacks that a cancellation in the same tick
leaves behind as a fault of the loop; transports have no such window.
"""

import errno
import logging
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from anyio.abc import Listener, SocketStream, TaskGroup

logger = logging.getLogger(__name__)
OWNER_ONLY = 0o600
PAUSE = 0.1
_NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class LocalListener(Listener[SocketStream]):
    """Accepts connections to a bound local socket; closing it removes the socket's file."""

    def __init__(self, bound: socket.socket, path: str) -> None:
        self._bound = bound
        self._path = path

    async def serve(
        self, handler: Callable[[SocketStream], Any], task_group: TaskGroup | None = None
    ) -> None:
        """Run `handler` in `task_group` for every connection until cancelled."""
        if task_group is None:
            async with anyio.create_task_group() as own:
                await self.serve(handler, own)
            return
        while True:
            await anyio.wait_readable(self._bound)
            try:
                connection = self.accept()
            except (BlockingIOError, ConnectionAbortedError):
                continue
            except OSError as error:
                if error.errno not in _NO_ROOM:
                    raise
                logger.warning("a connection has to wait: %s", error.strerror)
                await anyio.sleep(PAUSE)
                continue
            task_group.start_soon(handler, await SocketStream.from_socket(connection))

    def accept(self) -> socket.socket:
        """Take the next connection that waits.

        Raises:
            OSError: none waits, or the system has no room for another.
        """
        return self._bound.accept()[0]

    async def aclose(self) -> None:
        """Stop listening and remove the socket's file."""
        self._bound.close()
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(lambda: Path(self._path).unlink(missing_ok=True))


async def listen_local(path: str) -> LocalListener | None:
    """Listen at `path`, for its owner only; None when somebody alive listens there already.

    A socket that a dead process left behind is replaced.

    Raises:
        OSError: the system refuses the path.
    """
    bound = await anyio.to_thread.run_sync(_bind, path)
    return None if bound is None else LocalListener(bound, path)


async def dial_local(path: str) -> SocketStream:
    """Connect to whoever listens at `path`.

    Raises:
        OSError: nobody does.
    """
    return await SocketStream.from_socket(await anyio.to_thread.run_sync(_connect, path))


def _bind(path: str) -> socket.socket | None:
    if _answers(path):
        return None
    bound = socket.socket(socket.AF_UNIX)
    try:
        Path(path).unlink(missing_ok=True)
        bound.bind(path)
        Path(path).chmod(OWNER_ONLY)
        bound.listen()
    except BaseException:
        bound.close()
        raise
    bound.settimeout(0)
    return bound


def _answers(path: str) -> bool:
    try:
        _connect(path).close()
    except (ConnectionRefusedError, FileNotFoundError):
        return False
    return True


def _connect(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except BaseException:
        connection.close()
        raise
    connection.settimeout(0)
    return connection
