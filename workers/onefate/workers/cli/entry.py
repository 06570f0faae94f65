"""The one way in and out of the command line: a command runs, and whatever happens ends in a code.

| code | meaning |
|---|---|
| 0 | done |
| 1 | done, and the answer is no (a check failed, a transcript differs) |
| 2 | refused: one sentence on stderr says what was wrong, with its code |
| 70 | a fault of this program: one sentence; `ONEFATE_DEBUG=1` shows where |
| 130, 141 | interrupted by the user; nobody reads the output any more |
"""

import os
import sys
from collections.abc import Sequence
from typing import cast

REFUSED = 2
FAULT = 70
INTERRUPTED = 130
NO_READER = 141
DEBUG_VARIABLE = "ONEFATE_DEBUG"


def main() -> None:
    """Run the command line with the arguments of the process, and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and give its exit code; no exception and no traceback leaves it."""
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - the outermost frame of the program
        return _tell(root_cause(error))
    return code


def root_cause(error: BaseException) -> BaseException:
    """Give the error that counts: a way of leaving, else our own, else any."""
    leaves = _leaves(error)
    for is_first in (_is_leaving, _is_ours, _is_error):
        for leaf in leaves:
            if is_first(leaf):
                return leaf
    return leaves[0]


def _is_leaving(error: BaseException) -> bool:
    return isinstance(error, KeyboardInterrupt | SystemExit | BrokenPipeError)


def _is_ours(error: BaseException) -> bool:
    from onefate.broker.errors import OnefateError  # noqa: PLC0415 - it brings the whole broker

    return isinstance(error, OnefateError)


def _is_error(error: BaseException) -> bool:
    return isinstance(error, Exception)


def _leaves(error: BaseException) -> Sequence[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    group = cast("BaseExceptionGroup[BaseException]", error)
    return [leaf for inner in group.exceptions for leaf in _leaves(inner)]


def _run(arguments: Sequence[str]) -> int:
    try:
        from onefate.workers.cli.app import build  # noqa: PLC0415 - its extra may be missing
    except ModuleNotFoundError as missing:
        if missing.name not in {"cyclopts", "rich"}:
            raise
        from onefate.broker.ledger.errors import MissingExtra  # noqa: PLC0415 - see `_is_ours`

        raise MissingExtra("the command line", "cli") from None
    result: object = build()(list(arguments))
    return result if isinstance(result, int) else 0


def _tell(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else REFUSED
    if isinstance(error, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    code, problem, status = _sentence(error)
    if os.environ.get(DEBUG_VARIABLE):
        sys.excepthook(type(error), error, error.__traceback__)
    line = " ".join(problem.split())
    sys.stderr.write(f"onefate: {line} [{code}]\n")
    return status


def _sentence(error: BaseException) -> tuple[str, str, int]:
    from onefate.broker.errors import OnefateError  # noqa: PLC0415 - see `_is_ours`

    if isinstance(error, OnefateError):
        detail: object = getattr(error, "detail", "")
        return error.code, f"{error} ({detail})" if detail else str(error), REFUSED
    if type(error).__module__.partition(".")[0] == "cyclopts":
        return "USAGE", f"{error} Try --help.", REFUSED
    if isinstance(error, OSError):
        return "SYSTEM", f"{error.filename or 'the system'}: {error.strerror or error}", REFUSED
    told = f"unexpected {type(error).__name__}: {error} (set {DEBUG_VARIABLE}=1 to see where)"
    return "FAULT", told, FAULT
