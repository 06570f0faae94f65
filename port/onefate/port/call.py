"""The one call of a port: any name, any arguments, one structured answer at once.

It never waits for a fire or a person and never raises for anything an agent can send
(call:never-waits). One call is one decision on one draft: what it records and what it answers
commit together. Spec: port-settlement §2, §3.
"""

from collections.abc import Callable

from onefate.broker.journey.values import ABSENT
from onefate.broker.session.draft import Draft
from onefate.broker.session.state import Wire, detached
from onefate.port import texts
from onefate.port.action_calls import do_action
from onefate.port.arguments import LONGEST_NAME, Arguments, is_json
from onefate.port.did_it_work import did_it_work
from onefate.port.failed import failed
from onefate.port.journey_calls import journey_call, named_journey
from onefate.port.look import whats_here, why_call
from onefate.port.position import position
from onefate.port.tools import Port


def call(draft: Draft, port: Port, name: str, arguments: object = None) -> Wire:
    """Answer a tool call; `arguments` is whatever was sent."""
    if name not in port.tool_names:
        return {**failed("UNKNOWN_TOOL"), "tools": list(port.tool_names)}
    sent = Arguments.of(arguments)
    reads = _reading(port).get(name)
    answer = _unusable(port, sent, acting=reads is None)
    if answer is None:
        answer = _acted(draft, port, name, sent) if reads is None else reads(draft, port, sent)
    return detached({**answer, **position(draft)})


def _reading(port: Port) -> dict[str, Callable[[Draft, Port, Arguments], Wire]]:
    """Give the tools that perform nothing, by name."""
    names = port.names
    return {names.whats_here: whats_here, names.why: why_call, names.did_it_work: did_it_work}


def _acted(draft: Draft, port: Port, name: str, arguments: Arguments) -> Wire:
    """Answer a tool that can fire."""
    if name in port.names.journeys:
        return journey_call(draft, port, port.names.journeys[name], arguments)
    if name == port.names.journey:
        return named_journey(draft, port, arguments)
    return do_action(draft, port, arguments)


def _unusable(port: Port, arguments: Arguments, *, acting: bool) -> Wire | None:
    """Refuse what cannot be kept: an input that is no JSON, or more than a call may bring."""
    if acting and arguments.input is not ABSENT and not is_json(arguments.input):
        return {**failed("INPUT_UNREADABLE"), "why": texts.INPUT_UNREADABLE}
    long = arguments.too_long()
    if acting and long is not None:
        why = texts.ARGUMENT_TOO_LONG
        return {**failed("ARGUMENT_TOO_LONG"), "why": why, "argument": long, "limit": LONGEST_NAME}
    limit = port.largest_input
    if limit is None or arguments.size(acting=acting) <= limit:
        return None
    return {**failed("INPUT_TOO_LARGE"), "why": texts.INPUT_TOO_LARGE, "limit": limit}
