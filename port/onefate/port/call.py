"""The one call of a port: any name, any arguments, one structured answer at once.

It never waits for a fire or a person and never raises for anything an agent can send
(call:never-waits). One call is one decision on one draft: what it records and what it answers
commit together. Spec: port-settlement §2, §3.
"""

from onefate.broker.journey.values import ABSENT
from onefate.broker.session.draft import Draft
from onefate.broker.session.state import Wire, detached
from onefate.port import texts
from onefate.port.action_calls import do_action
from onefate.port.arguments import Arguments, is_json
from onefate.port.did_it_work import did_it_work
from onefate.port.journey_calls import journey_call, named_journey
from onefate.port.look import whats_here, why_call
from onefate.port.position import position
from onefate.port.tools import Port


def call(draft: Draft, port: Port, name: str, arguments: object = None) -> Wire:
    """Answer a tool call; `arguments` is whatever was sent."""
    answer = _routed(draft, port, name, Arguments.of(arguments))
    if answer is None:
        return {
            "ok": False,
            "judgment": "error",
            "reason": "UNKNOWN_TOOL",
            "tools": list(port.tool_names),
        }
    return detached({**answer, **position(draft)})


def _routed(draft: Draft, port: Port, name: str, arguments: Arguments) -> Wire | None:
    names = port.names
    if name == names.whats_here:
        return whats_here(draft, port, arguments)
    if name == names.why:
        return why_call(draft, arguments)
    if name == names.did_it_work:
        return did_it_work(draft, arguments)
    if name in names.journeys or name in (names.journey, names.do_action):
        return _performed(draft, port, name, arguments)
    return None


def _performed(draft: Draft, port: Port, name: str, arguments: Arguments) -> Wire:
    """Answer a tool that can fire; an input that JSON cannot keep performs nothing."""
    if arguments.input is not ABSENT and not is_json(arguments.input):
        return {
            "ok": False,
            "judgment": "error",
            "reason": "INPUT_UNREADABLE",
            "why": texts.INPUT_UNREADABLE,
        }
    if name in port.names.journeys:
        return journey_call(draft, port, port.names.journeys[name], arguments)
    if name == port.names.journey:
        return named_journey(draft, port, arguments)
    return do_action(draft, port, arguments)
