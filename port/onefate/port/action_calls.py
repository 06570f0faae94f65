"""`do_action`: perform one action that is served here now (spec: port-settlement §5)."""

from onefate.broker.journey.names import matching_ids
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.available import ServedRows, explain
from onefate.broker.session.state import Wire
from onefate.port import texts
from onefate.port.arguments import Arguments
from onefate.port.asking import paused
from onefate.port.failed import failed
from onefate.port.fire_block import fire_block
from onefate.port.tools import Port
from onefate.port.wanted import Wanted


def do_action(draft: Draft, port: Port, arguments: Arguments) -> Wire:
    """Find the action among the served rows and perform it, or ask first."""
    served = ServedRows(draft, port.options.source)
    asked = arguments.named("action")
    if asked is None:
        return {**failed("ACTION_REQUIRED"), "why": texts.ACTION_REQUIRED, "actions": [*served]}
    found = matching_ids(served, asked)
    if len(found) > 1:
        return {**failed("AMBIGUOUS_ACTION"), "actions": [*served]}
    if not found:
        return {**failed("UNKNOWN_ACTION"), "actions": [*served], **_not_here(draft, asked)}
    wanted = Wanted.of(found[0], {"action": found[0]}, arguments)
    edge = served[found[0]]
    return paused(draft, port, wanted, edge) or fire_block(draft, port, wanted, edge)


def _not_here(draft: Draft, asked: str) -> Wire:
    """Say why a declared action is not served; nothing about a name that is no exact id (§5.2)."""
    if draft.action(asked) is None:
        return {}
    explained = explain(draft, asked)
    if not explained["offeredOnThisNode"]:
        return {"why": texts.NOT_ON_PAGE}
    if explained["guardPassed"]:
        return {"why": texts.DECLARED_NOT_OFFERED}
    told: Wire = {"why": texts.CONDITIONS_NOT_MET, "evidence": explained["evidence"]}
    if "guardUnevaluated" in explained:
        told["guardUnevaluated"] = explained["guardUnevaluated"]
    return told
