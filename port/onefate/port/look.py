"""`whats_here` and `why`: what is here, what happened, what led to a value (spec: §7, §8)."""

import math

from onefate.broker.journey.values import cut
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.brief import context_brief
from onefate.broker.session.reads.history import together
from onefate.broker.session.reads.routes import how_to_reach
from onefate.broker.session.reads.slice import why
from onefate.broker.session.reads.truth import ground_truth
from onefate.broker.session.state import Wire
from onefate.port import texts
from onefate.port.arguments import Arguments
from onefate.port.failed import failed
from onefate.port.rows import action_rows, elsewhere, journey_rows
from onefate.port.tools import Port

LARGEST_VERSION = 2**53


def whats_here(draft: Draft, port: Port, arguments: Arguments) -> Wire:
    """Show the position, the record, every action and journey that is here, and a way if asked."""
    target = arguments.text("routeTo")
    if target is not None and target not in draft.map.pages:
        return {**failed("UNKNOWN_PAGE"), "pages": [*draft.map.pages]}
    since = _version(arguments.number("sinceVersion"))
    facts, brief = _grounding(draft, port, since)
    answer: Wire = {"ok": True, "facts": facts, "brief": brief}
    answer["actions"] = action_rows(draft, port, since)
    journeys = journey_rows(draft)
    answer["journeys"] = journeys
    answer.update(elsewhere(draft, len(journeys)))
    if target is not None:
        answer["routeTo"] = _way(draft, target)
    return answer


def why_call(draft: Draft, _: Port, arguments: Arguments) -> Wire:
    """Show what led to the value of one state key; a key never written is answered too."""
    key = arguments.named("key")
    if key is None:
        return {**failed("KEY_REQUIRED"), "why": texts.KEY_REQUIRED}
    return {"ok": True, "key": cut(key), "why": why(draft, key).text}


def _version(sent: float | None) -> int | None:
    """Read a version: the first whole one at or after the number, within what a version can be."""
    if sent is None:
        return None
    return max(-1, min(math.ceil(sent), LARGEST_VERSION))


def _grounding(draft: Draft, port: Port, since: int | None) -> tuple[str, str]:
    """Tell what is on record and where the session stands; their history is asked for in one go."""
    told: list[str] = []
    together(
        lambda: told.append(ground_truth(draft, since)["text"]),
        lambda: told.append(context_brief(draft, since, principal=port.options.source)["text"]),
    )
    return told[0], told[1]


def _way(draft: Draft, target: str) -> Wire:
    hops = how_to_reach(draft, target)
    if hops is None:
        return {"to": target, "why": texts.NO_ROUTE}
    if not hops:
        return {"to": target, "alreadyHere": True}
    told = [{"action": hop.action, "to": hop.to} for hop in hops]
    return {"to": target, "hops": told, "means": texts.ROUTE}
