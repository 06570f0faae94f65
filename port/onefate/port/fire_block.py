"""What a fire answers at once: that it is under way, or why a gate turned it away.

`transitionId` is there if and only if this call recorded a fire, so whoever waits on it never waits
on a person. Spec: port-settlement §6.
"""

from typing import cast

from onefate.broker.session.attempt import FireOptions
from onefate.broker.session.cards import open_ask_for
from onefate.broker.session.draft import Draft
from onefate.broker.session.fire import fire
from onefate.broker.session.reads.rows import Edge
from onefate.broker.session.state import Record, Wire
from onefate.port import texts
from onefate.port.asking import card, too_many
from onefate.port.refusals import told
from onefate.port.tools import Port
from onefate.port.wanted import Wanted


def fire_block(draft: Draft, port: Port, wanted: Wanted, edge: Edge | None) -> Wire:
    """Fire, and answer with what is true the moment after."""
    pointer = open_ask_for(draft, wanted.action, wanted.input, wanted.instance)
    answer = fire(
        draft,
        wanted.action,
        FireOptions(
            source=port.options.source,
            payload=wanted.input,
            instance=wanted.instance,
            ask_id=pointer,
            offer_id=wanted.offer_id,
            acknowledgement_id=wanted.acknowledgement_id,
        ),
    )
    if answer["ok"]:
        return _under_way(port, wanted, answer)
    if answer["reason"] == "APPROVAL_REQUIRED":
        return too_many(draft, wanted) or {
            "ok": False,
            "judgment": "needs-confirm",
            "did": wanted.action,
            "reason": "APPROVAL_REQUIRED",
            "why": texts.APPROVAL_REQUIRED,
            **card(draft, port, wanted),
        }
    return told(wanted.action, answer, edge)


def _under_way(port: Port, wanted: Wanted, answer: Wire) -> Wire:
    record = cast("Record", answer["transition"])
    tool = port.names.did_it_work
    block: Wire = {
        "ok": True,
        "did": wanted.action,
        "settlement": answer["settlement"],
        "effectStatus": answer["effectStatus"],
        "transitionId": record["id"],
    }
    if answer["effectStatus"] == "pending":
        block["howToSettle"] = texts.how_to_settle(tool)
        block["settleWith"] = {"tool": tool, "arg": "transitionId"}
    if "guardUnevaluated" in record:
        block["guardUnevaluated"] = record["guardUnevaluated"]
    if answer.get("executed") is False:
        block["executed"] = False
        block["materialized"] = False
    if "alreadyTrue" in answer:
        block["alreadyTrue"] = answer["alreadyTrue"]
        block["why"] = texts.ALREADY_TRUE
    if record.get("toNodeClaimed"):
        block["toNodeClaimed"] = True
    return block
