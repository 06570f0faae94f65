"""Drafts built by hand: a small clinic, and what has happened in it."""

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from onefate.broker.journey import compile_map
from onefate.broker.session.draft import Draft, Snapshot
from onefate.broker.session.options import SessionOptions
from onefate.broker.session.state import (
    Attribution,
    Binding,
    Bundle,
    Cause,
    LastWrite,
    Latch,
    Outcome,
    Principal,
    Record,
    Row,
    Wire,
)

NOW = 1_700_000_000_000

CLINIC: Wire = {
    "pages": {
        "chart": {
            "tabs": {
                "vitals": {"actions": {"measure": {"does": "Measure", "writes": ["pulse"]}}},
                "notes": {"actions": {"write": {"does": "Write a note"}}},
            },
            "areas": {
                "sidebar": {
                    "actions": {"pin": {"does": "Pin"}},
                    "modals": {"help": {"actions": {"close-help": {"does": "Close help"}}}},
                },
                "beds": {
                    "repeats": True,
                    "actions": {"visit": {"does": "Visit a bed"}},
                },
            },
            "modals": {
                "allergy": {
                    "actions": {"acknowledge": {"does": "Acknowledge the allergy"}},
                    "areas": {"list": {"actions": {"scroll": {"does": "Scroll"}}}},
                },
                "tip": {"blocks": False, "actions": {"dismiss": {"does": "Dismiss the tip"}}},
            },
            "actions": {
                "sign": {
                    "does": "Sign the chart",
                    "when": {"pulse": {"gt": 0}},
                    "enabledWhen": {"ready": {"eq": True}},
                    "writes": ["signed"],
                    "reads": ["pulse"],
                    "confirm": True,
                    "humanDecides": {"about": "whether to sign", "doneWhen": {"signed": {"eq": 1}}},
                },
                "leave": {"does": "Leave", "goTo": "home"},
            },
        },
        "home": {"actions": {"enter": {"does": "Open the chart", "goTo": "chart"}}},
    },
    "actions": {"page": {"does": "Page the doctor", "on": ["chart", "home"]}},
    "journeys": {
        "round": {
            "does": "Do the round",
            "steps": ["measure", "sign"],
            "when": {"open": {"eq": True}},
        },
    },
}


def world(definition: Mapping[str, object] | None = None, **options: object) -> Draft:
    """A draft of a session that has just begun; all history is at hand."""
    journey_map = compile_map("clinic", CLINIC if definition is None else definition)
    read = SessionOptions.read({"state": {}, **options}, journey_map)
    draft = Draft(journey_map, read, Snapshot({}, complete=True), now=NOW)
    position = draft.edit(Draft.position)
    position["node"] = position["focus"] = read.node
    draft.replace(Draft.state, dict(read.state))
    return draft


def bind(draft: Draft, *actions: str, enabled: bool = True, busy: str | None = None) -> None:
    """Wire the actions."""
    for action in actions:
        binding = Binding(group="app", enabled=enabled)
        if busy is not None:
            binding["busy"] = busy
        draft.edit(Draft.registry)["bindings"][action] = binding


def mount(draft: Draft, *nodes: str) -> None:
    """Open a presence handle on each node."""
    for node in nodes:
        draft.edit(Draft.nodes)["present"][node] = 1


def signal(draft: Draft, **nodes: bool) -> None:
    """Say which nodes are visible; `__` stands for a dot."""
    draft.edit(Draft.nodes)["visible"].update({k.replace("__", "."): v for k, v in nodes.items()})


def happened(  # noqa: PLR0913 - one keyword for each thing a row can say
    draft: Draft,
    action: str | None = None,
    *,
    principal: Principal = "agent",
    changed: Sequence[str] = (),
    reads: Sequence[str] = (),
    outcome: Outcome = "committed",
    stimulus: str = "unknown",
    does: str | None = None,
    facts: Wire | None = None,
) -> Row:
    """Record one row, and the changes it committed; `facts` go on the record as they are."""
    n, version = draft.counters["row"], draft.counters["version"]
    kind: Literal["fired", "stimulus"] = "stimulus" if action is None else "fired"
    cause = Cause(kind=kind, principal=principal)
    if action is None:
        cause["stimulus"] = stimulus
    else:
        cause["affordanceId"] = action
        known = draft.action(action)
        if does is not None or known is not None:
            cause["does"] = does or (known.description if known else "")
    record = Record(
        id=f"{action or f'stimulus:{stimulus}'}#{n}",
        cause=cause,
        attribution=Attribution(principal=principal, basis="caller-asserted", certainty="observed"),
        timestamp=NOW,
        outcome=outcome,
        fromNode=draft.position["node"],
        cursorVersion=version,
    )
    record = cast("Record", {**record, **(facts or {})})
    row = Row(record=record, n=n)
    if outcome == "committed":
        row["bundle"] = Bundle(seq=draft.counters["bundle"], changed=[*changed], reads=[*reads])
    draft.rows.put(str(n), row)
    _count(draft, row)
    return row


def _count(draft: Draft, row: Row) -> None:
    counters = draft.edit(Draft.counters)
    counters["row"] += 1
    counters["version"] += 1
    record = row["record"]
    if "bundle" in row:
        counters["bundle"] += 1
        for key in row["bundle"]["changed"]:
            writers = draft.edit(Draft.changes).setdefault(key, {})
            writers[record["cause"]["principal"]] = LastWrite(
                row=row["n"], version=record["cursorVersion"]
            )
    if record["cause"]["kind"] == "fired":
        recent = draft.edit(Draft.recent)
        recent["fires"].append(row["n"])
        recent["fireTotal"] += 1


def refused(draft: Draft, action: str, reason: str, **facts: object) -> None:
    """Record an attempt that a gate turned away."""
    draft.gaps.append(
        {
            "kind": "fire-rejected",
            "affordanceId": action,
            "rejectionReason": reason,
            "principal": "agent",
            "version": draft.counters["version"],
            **facts,
        }
    )
    recent = draft.edit(Draft.recent)
    recent["refusals"].append(len(draft.gaps) - 1)
    recent["refusalTotal"] += 1


def left_open(draft: Draft, row: Row) -> None:
    """Leave the latch of a fire open."""
    record = row["record"]
    latch = Latch(id=record["id"], affordanceId=record["cause"].get("affordanceId", ""))
    draft.edit(Draft.latches).append(latch)


def page_of(**actions: Mapping[str, object]) -> Wire:
    """A map of one page with these actions."""
    return {"pages": {"p": {"actions": actions}}}
