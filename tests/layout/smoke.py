"""What a user gets: run by the Python of an environment that has the wheel and nothing of the tree.

`python smoke.py library` imports the packages and settles one fire on a server of its own.
`python smoke.py commands` runs the installed command line and ends that server.
"""

import asyncio
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

PREFIX = Path(sys.prefix).resolve()


def import_packages() -> None:
    """The packages load without an extra, from the environment and from nowhere else."""
    for name in ("onefate.broker", "onefate.port", "onefate.workers"):
        module = import_module(name)
        home = Path(module.__file__ or "").resolve()
        assert home.is_relative_to(PREFIX), f"{name} was loaded from {home}"
        assert (home.parent / "py.typed").exists(), f"{name} is not typed"


async def settle_once() -> None:
    """One fire's life, and the same answer to whoever asks."""
    from onefate.broker import open_broker, performed, refused  # noqa: PLC0415

    async with open_broker() as broker:
        ledger = broker.ledger("smoke")
        fire = await ledger.record("checkout.place-order", {"cart": 7})
        waiting = asyncio.create_task(ledger.when_settled(fire.id))
        first = await ledger.settle(fire.id, performed({"order": 41}), by="worker-1")
        second = await ledger.settle(fire.id, refused("too late"), by="worker-2")
        assert (first.won, second.won) == (True, False)
        assert await waiting == first.settlement == second.settlement


def run_commands() -> None:
    """The command line starts, finds the server of the first part, and ends it."""
    onefate = str(Path(sys.executable).parent / "onefate")
    for arguments in (["--help"], ["version"], ["doctor"], ["stop"]):
        subprocess.run([onefate, *arguments], check=True, timeout=60)


def main(part: str) -> None:
    """Run one part; a failed one raises."""
    if part == "library":
        import_packages()
        asyncio.run(settle_once())
    else:
        run_commands()
    sys.stdout.write(f"onefate {version('onefate')}: {part} ok\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
