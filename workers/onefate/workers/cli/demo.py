"""`onefate demo`."""

from onefate.workers.demo.run import run_demo
from onefate.workers.demo.screen import Screen


async def demo(*, plain: bool = False) -> int:
    """Play a recorded conversation at a clinic's front desk over real processes.

    Starts a private server, two ports and two workers, kills a port in mid-wait, and shows that
    every fire has one fate, whichever port is asked. Exit code 0 only if all of it holds.

    Args:
        plain: Write without colour and in ASCII.
    """
    return await run_demo(Screen(plain=plain))
