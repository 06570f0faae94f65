"""Where the private server of a state directory keeps what it needs.

lock        held by the process that starts or stops the server, for as long as that takes
alive       held by the server itself, for as long as it lives, however it ends
users       held (shared) by every process with an open link; its time says when one last came
server.sock where it listens; elsewhere when the directory's name is too long for a socket
server.log, server.pid, appendonlydir/
"""

import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from onefate.broker.ledger.errors import EmbeddedRefused

LONGEST_SOCKET = 103
_LONGEST_LOG = 1 << 20


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of one state directory."""

    directory: Path
    socket: Path

    @property
    def lock(self) -> Path:
        """Who holds it may start or stop the server."""
        return self.directory / "lock"

    @property
    def alive(self) -> Path:
        """Held by the server while it lives."""
        return self.directory / "alive"

    @property
    def users(self) -> Path:
        """Held by everyone who uses the server."""
        return self.directory / "users"

    @property
    def log(self) -> Path:
        """The server's own log."""
        return self.directory / "server.log"

    @property
    def pid(self) -> Path:
        """The server's process id; true only while `alive` is held."""
        return self.directory / "server.pid"

    def log_size(self) -> int:
        """Return the log's size, after putting one that grew long aside."""
        try:
            size = self.log.stat().st_size
        except FileNotFoundError:
            return 0
        if size <= _LONGEST_LOG:
            return size
        self.log.replace(self.log.with_suffix(".log.1"))
        return 0

    def log_tail(self, since: int = 0) -> str:
        """Return the last telling line of the log, for an error sentence."""
        try:
            lines = self.log.read_bytes()[since:].decode("utf-8", "replace").splitlines()
        except OSError:
            lines = []
        lines = [line.strip() for line in lines if line.strip()]
        telling = [line for line in lines if " # " in line] or lines or ["it wrote no log"]
        return telling[-1].partition(" # ")[2] or telling[-1]

    def process_id(self) -> int | None:
        """Return the process id the server wrote, if any."""
        try:
            return int(self.pid.read_text("ascii"))
        except (OSError, ValueError):
            return None


def prepare(state_dir: Path) -> Layout:
    """Return the layout of a state directory that exists and can be written.

    Raises:
        EmbeddedRefused: it cannot be made, is no directory, or cannot be written.
    """
    directory = Path(os.path.abspath(state_dir))  # noqa: PTH100 - a symlink stays one name
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as cause:
        problem = cause.strerror or "unknown error"
        raise EmbeddedRefused(
            f"the state directory {directory} cannot be made ({problem}); "
            "name another in ONEFATE_STATE_DIR"
        ) from cause
    if not os.access(directory, os.W_OK | os.X_OK):
        raise EmbeddedRefused(
            f"the state directory {directory} cannot be written; name another in ONEFATE_STATE_DIR"
        )
    return Layout(directory, socket_path(directory))


def socket_path(directory: Path) -> Path:
    """Return a socket path short enough for every platform, the same for the same directory."""
    plain = directory / "server.sock"
    if len(os.fsencode(plain)) <= LONGEST_SOCKET:
        return plain
    name = hashlib.sha256(os.fsencode(directory)).hexdigest()[:16] + ".sock"
    short = private_folder() / name
    if len(os.fsencode(short)) > LONGEST_SOCKET:
        raise EmbeddedRefused(f"the name of {short} is too long for a socket; shorten TMPDIR")
    return short


def private_folder() -> Path:
    """Return this user's folder for temporary files, made so that nobody else can enter it.

    Raises:
        EmbeddedRefused: it cannot be made, or somebody else prepared it.
    """
    folder = Path(tempfile.gettempdir()) / f"onefate-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as cause:
        raise EmbeddedRefused(f"{folder} cannot be made ({cause.strerror}); set TMPDIR") from cause
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    if not mine or found.st_mode & 0o077:
        raise EmbeddedRefused(f"{folder} is not a private directory of this user; remove it")
    return folder
