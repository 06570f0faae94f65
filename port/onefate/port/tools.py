"""The tool array of a port: the same bytes for its life, on every instance, after every deploy.

It is built from what is fixed when a port is built: the map's id, its declared journeys, the shape
of the journey tools, and whether this port's fires need a person's recorded yes. Nothing that moves
(page, state, handlers, frames, cards) is read here; that travels in answers (tools:bytes-stable;
spec: port-settlement §1).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NotRequired, TypedDict

from onefate.broker.journey import JourneyMap
from onefate.broker.journey.names import encode_tool_name
from onefate.broker.session.options import SessionOptions
from onefate.port import texts
from onefate.port.options import PortOptions


class Property(TypedDict):
    """One argument of a tool."""

    type: Literal["string", "number", "boolean", "object"]
    description: str


class InputSchema(TypedDict):
    """The closed object that a tool takes."""

    type: Literal["object"]
    properties: dict[str, Property]
    required: NotRequired[list[str]]
    additionalProperties: Literal[False]


class Tool(TypedDict):
    """One entry of the array, as a host lists it."""

    name: str
    description: str
    inputSchema: InputSchema


@dataclass(frozen=True, slots=True)
class Names:
    """The encoded names a port is called by; `journeys` maps a tool to its journey."""

    journeys: Mapping[str, str]
    journey: str | None
    whats_here: str
    why: str
    do_action: str
    did_it_work: str


class Port:
    """What one port is: its map, options, names and tools. It holds no state of a session."""

    def __init__(
        self,
        journey_map: JourneyMap,
        session_options: SessionOptions,
        options: PortOptions | None = None,
        *,
        largest_input: int | None = None,
    ) -> None:
        self.map: Final = journey_map
        self.options: Final = options or PortOptions()
        self.gated: Final = session_options.enforced and self.options.source == "agent"
        """Whether a fire of this port needs a person's recorded yes."""
        self.largest_input: Final = largest_input
        """How many bytes of JSON one call may bring; None where nothing keeps them."""
        self.names: Final = _names(journey_map, self.options)

    @property
    def asks(self) -> bool:
        """Whether this port shows a card before a high-effect fire."""
        return self.gated or self.options.confirm_high_effect

    @cached_property
    def tool_bytes(self) -> bytes:
        """The array in its canonical bytes: compact, ASCII, keys in the order they are written."""
        return canonical_bytes(tool_array(self))

    def tools(self) -> list[Tool]:
        """Give a copy of the array that the caller may change."""
        copy: list[Tool] = json.loads(self.tool_bytes)
        return copy

    @cached_property
    def tool_names(self) -> tuple[str, ...]:
        """The names in array order."""
        return tuple(tool["name"] for tool in self.tools())


def canonical_bytes(tools: list[Tool]) -> bytes:
    """Give the one spelling of an array: equal arrays have equal bytes, in every process."""
    return json.dumps(tools, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode()


def tool_array(port: Port) -> list[Tool]:
    """Build the array: journeys in declaration order, then the four fixed tools."""
    names, step = port.names, _acting(port)
    return [
        *_journey_tools(port),
        _tool(
            names.whats_here,
            texts.DOES_LOOK,
            {
                "sinceVersion": _argument("number", texts.ARG_SINCE),
                "routeTo": _argument("string", texts.ARG_ROUTE),
            },
        ),
        _tool(names.why, texts.DOES_WHY, {"key": _argument("string", texts.ARG_KEY)}, "key"),
        _tool(
            names.do_action,
            texts.DOES_ACT,
            {"action": _argument("string", texts.ARG_ACTION), **step},
            "action",
        ),
        _tool(
            names.did_it_work,
            texts.DOES_ASK,
            {"transitionId": _argument("string", texts.ARG_ID)},
            "transitionId",
        ),
    ]


def _names(journey_map: JourneyMap, options: PortOptions) -> Names:
    def encoded(tool: str) -> str:
        return encode_tool_name(f"{journey_map.id}.{tool}")

    single = options.journey_tools == "single"
    journeys = () if single else journey_map.journeys
    return Names(
        journeys={encoded(f"journey.{journey}"): journey for journey in journeys},
        journey=encoded("journey") if single else None,
        whats_here=encoded("whats_here"),
        why=encoded("why"),
        do_action=encoded("do_action"),
        did_it_work=encoded("did_it_work"),
    )


def _journey_tools(port: Port) -> list[Tool]:
    step = {"step": _argument("string", texts.ARG_STEP), **_acting(port)}
    if port.names.journey is not None:
        name = {"journey": _argument("string", texts.ARG_JOURNEY)}
        return [_tool(port.names.journey, texts.DOES_JOURNEYS, {**name, **step}, "journey")]
    return [
        _tool(tool, f"{port.map.journeys[journey].description}\n{texts.DOES_JOURNEY}", step)
        for tool, journey in port.names.journeys.items()
    ]


def _acting(port: Port) -> dict[str, Property]:
    confirm = texts.ARG_CONFIRM_GATED if port.gated else texts.ARG_CONFIRM
    decline = texts.ARG_DECLINE_GATED if port.gated else texts.ARG_DECLINE
    return {
        "input": _argument("object", texts.ARG_INPUT),
        "confirm": _argument("boolean", confirm),
        "decline": _argument("boolean", decline),
        "instance": _argument("string", texts.ARG_INSTANCE),
    }


def _argument(kind: Literal["string", "number", "boolean", "object"], description: str) -> Property:
    return {"type": kind, "description": description}


def _tool(name: str, description: str, properties: dict[str, Property], *required: str) -> Tool:
    schema: InputSchema = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    if required:
        schema = {
            "type": "object",
            "properties": properties,
            "required": list(required),
            "additionalProperties": False,
        }
    return {"name": name, "description": description, "inputSchema": schema}
