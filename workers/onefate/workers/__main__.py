"""`python -m onefate.workers` is the command `onefate`."""

from onefate.workers.cli import main

main()
