"""`onefate version`."""

import sys
from importlib.metadata import version


def version_line() -> None:
    """Print the version of the installed distribution."""
    sys.stdout.write(f"onefate {version('onefate')}\n")
