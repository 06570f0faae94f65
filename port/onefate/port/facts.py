"""The facts of a fire that has come to rest: one builder for every door (answer:three).

The receipt says how it came to rest and never changes. What may still change stands beside it and
is read live: `outcomeNow`, `arrival`, `data`, `stillWorking`, `later`. A key that is not known is
absent.
"""

from typing import Literal, NotRequired, TypedDict

from onefate.broker.errors import AmbiguousId, Forgotten
from onefate.broker.session import cards, rows
from onefate.broker.session.draft import Draft
from onefate.broker.session.raised import error_words
from onefate.broker.session.reads.history import together
from onefate.broker.session.settle import awaiting_settlement, is_open, settlement_if_known
from onefate.broker.session.state import EffectStatus, Outcome, Receipt, Row, Wire, detached
from onefate.port import texts


class SettledFacts(TypedDict):
    """What is true of a fire that has come to rest (spec: port-settlement §9.3)."""

    effectStatus: EffectStatus
    outcome: Outcome
    outcomeNow: NotRequired[Outcome]
    howToAct: NotRequired[str]
    effectVerified: NotRequired[object]
    writesObserved: NotRequired[bool]
    verifyHeld: NotRequired[object]
    arrival: NotRequired[Literal["claimed", "observed"]]
    arrivalMeans: NotRequired[str]
    materialized: NotRequired[Literal[False]]
    alreadyTrue: NotRequired[list[Wire]]
    why: NotRequired[str]
    toNode: NotRequired[str]
    settledBy: NotRequired[Literal["external-report"]]
    reportedBy: NotRequired[str]
    evidenceOnRecord: NotRequired[Literal[True]]
    settledByMeans: NotRequired[str]
    error: NotRequired[str]
    data: NotRequired[object]
    stillWorking: NotRequired[Literal[True]]
    stillWorkingMeans: NotRequired[str]
    later: NotRequired[list[Wire]]


def settled_facts(draft: Draft, transition_id: str) -> SettledFacts | None:
    """Give the facts of a fire that has come to rest, None while it is open.

    Raises:
        ImpossibleId: no settlement can ever exist for the id, or it names a card as well.
    """
    if not is_open(draft, transition_id):
        together(
            lambda: draft.receipts.want((transition_id,)),
            lambda: rows.find(draft, transition_id),
            lambda: cards.find(draft, transition_id),
        )
    receipt = settlement_if_known(draft, transition_id)
    if cards.find(draft, transition_id) is not None:
        raise AmbiguousId(transition_id, awaiting_settlement(draft))
    if receipt is None:
        return None
    row = row_of(draft, transition_id)
    facts = SettledFacts(effectStatus=receipt["effectStatus"], outcome=receipt["outcome"])
    _outcome_since(facts, receipt, row)
    _verdicts(facts, receipt)
    _arrival(facts, row)
    _markers(facts, receipt)
    _outside(facts, receipt)
    if "error" in receipt:
        facts["error"] = error_words(receipt["error"])
    if "produced" in row["record"]:
        facts["data"] = row["record"]["produced"]
    if is_still_working(draft, transition_id):
        facts["stillWorking"] = True
        facts["stillWorkingMeans"] = texts.STILL_WORKING
    if "later" in row:
        facts["later"] = row["later"]
    return detached(facts)


def row_of(draft: Draft, transition_id: str) -> Row:
    """Give the live row of a fire that is known to exist."""
    row = rows.find(draft, transition_id)
    if row is None:
        raise Forgotten(transition_id)
    return row


def is_still_working(draft: Draft, transition_id: str) -> bool:
    """Say whether the app has work open for a fire."""
    return any(work.get("transitionId") == transition_id for work in draft.work.values())


def _outcome_since(facts: SettledFacts, receipt: Receipt, row: Row) -> None:
    now = row["record"]["outcome"]
    if now != receipt["outcome"]:
        facts["outcomeNow"] = now
        facts["howToAct"] = texts.OUTCOME_MOVED


def _verdicts(facts: SettledFacts, receipt: Receipt) -> None:
    """State the three axes that are never merged: done, reported, checked."""
    record = receipt["transition"]
    if "effectVerified" in record:
        verified = record["effectVerified"]
        facts["effectVerified"] = verified
        if isinstance(verified, bool):
            facts["writesObserved"] = verified
    if "verifyHeld" in receipt:
        facts["verifyHeld"] = receipt["verifyHeld"]
    if "toNode" in record:
        facts["toNode"] = record["toNode"]


def _arrival(facts: SettledFacts, row: Row) -> None:
    arrival = row["record"].get("arrival")
    if arrival is not None:
        observed = arrival == "observed"
        facts["arrival"] = arrival
        facts["arrivalMeans"] = texts.ARRIVAL_OBSERVED if observed else texts.ARRIVAL_CLAIMED


def _markers(facts: SettledFacts, receipt: Receipt) -> None:
    record = receipt["transition"]
    if record.get("materialized") is False:
        facts["materialized"] = False
        facts["why"] = texts.NOTHING_EXECUTED
    elif "alreadyTrue" in record and receipt["effectStatus"] != "refused":
        facts["alreadyTrue"] = record["alreadyTrue"]
        facts["why"] = texts.ALREADY_TRUE


def _outside(facts: SettledFacts, receipt: Receipt) -> None:
    observations = receipt["transition"].get("observations")
    if observations:
        first = observations[0]
        facts["settledBy"] = "external-report"
        facts["reportedBy"] = str(first["source"])
        facts["settledByMeans"] = texts.EXTERNAL
        if "evidenceRef" in first:
            facts["evidenceOnRecord"] = True
