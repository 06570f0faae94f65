"""hiredis under the types its stubs do not tell."""

from collections.abc import Callable
from typing import TypeAlias

import hiredis

from onefate.broker.ledger.link.protocol import Arg, Reply

RawReply: TypeAlias = Reply | hiredis.ReplyError
"""A reply, or the error reply of one command, as a value."""

# The stub of `pack_command` admits one-word commands only and leaves its result unnamed.
pack: Callable[[tuple[Arg, ...]], bytes] = vars(hiredis)["pack_command"]
"""Return a command in RESP."""
