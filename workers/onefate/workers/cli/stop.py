"""`onefate stop`: end the embedded server; nothing acknowledged is lost."""

import sys

from onefate.broker.ledger.embedded import stop as stop_server
from onefate.workers.cli.store import DEFAULT_STORE, StoreFlags


def stop(*, store: StoreFlags = DEFAULT_STORE) -> None:
    """Stop the private server of the state directory, if there is one.

    Args:
        store: The state directory; another URL than embedded: is left alone.
    """
    directory = store.settings().directory
    ended = stop_server(directory)
    said = "stopped" if ended else "there was none"
    sys.stdout.write(f"the embedded server of {directory}: {said}\n")
