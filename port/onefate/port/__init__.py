"""What is said: tools, calls, answers and texts."""

from onefate.port.answers import Answer
from onefate.port.call import call
from onefate.port.errors import PortOptionsError
from onefate.port.facts import SettledFacts, settled_facts
from onefate.port.fold import folded
from onefate.port.options import PortOptions, port_options
from onefate.port.protocols import JourneyToolsPort, JourneyToolsPortWithSettlement
from onefate.port.served import ServedPort, SessionDoor, serve_to_agent
from onefate.port.tools import Port, Tool, canonical_bytes, tool_array

__all__ = [
    "Answer",
    "JourneyToolsPort",
    "JourneyToolsPortWithSettlement",
    "Port",
    "PortOptions",
    "PortOptionsError",
    "ServedPort",
    "SessionDoor",
    "SettledFacts",
    "Tool",
    "call",
    "canonical_bytes",
    "folded",
    "port_options",
    "serve_to_agent",
    "settled_facts",
    "tool_array",
]
