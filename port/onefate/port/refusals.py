"""How a gate's refusal is told: which of its facts go along, and the sentence (spec: §6.3)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from onefate.broker.session.reads.rows import Edge
from onefate.broker.session.state import Wire
from onefate.port import texts

Sentence: TypeAlias = Callable[[Wire], str | None]


@dataclass(frozen=True, slots=True)
class Told:
    """What an agent hears of one reason: these facts of the refusal, and this sentence."""

    facts: tuple[str, ...] = ()
    why: Sentence = lambda _refusal: None


def _constant(sentence: str) -> Sentence:
    return lambda _refusal: sentence


def _disabled(refusal: Wire) -> str:
    return (
        f"{texts.DISABLED} {texts.DISABLED_EVIDENCE}" if "evidence" in refusal else texts.DISABLED
    )


def _off_record(refusal: Wire) -> str:
    known = {"evicted": texts.OFFER_EVICTED, "other-action": texts.OFFER_OTHER}
    return known.get(str(refusal.get("why")), texts.OFFER_UNKNOWN)


def _unacknowledged(refusal: Wire) -> str:
    return texts.ACK_EVICTED if refusal.get("why") == "evicted" else texts.ACK_REQUIRED


def _not_allowed(refusal: Wire) -> str:
    required = cast("list[str]", refusal["required"])
    return texts.HUMAN_ONLY if "human" in required and "agent" not in required else texts.PRINCIPAL


TOLD: Final[Mapping[str, Told]] = {
    "NOT_ON_NODE": Told(("node",)),
    "GUARD_FAILED": Told(("evidence",)),
    "PAYLOAD_INVALID": Told(("issues",)),
    "TOOL_DISABLED": Told(("evidence",), _disabled),
    "NOT_MATERIALIZED": Told((), _constant(texts.NOT_MATERIALIZED)),
    "STILL_MOUNTING": Told(("node",)),
    "NODE_NOT_VISIBLE": Told(("node",)),
    "INSTANCE_REQUIRED": Told(("instances",)),
    "INSTANCE_UNKNOWN": Told(("instances",)),
    "PRIOR_FIRE_PENDING": Told(("pendingTransitionId", "scope"), _constant(texts.PRIOR_PENDING)),
    "DUPLICATE_EXECUTION": Told(("priorTransitionId",), _constant(texts.DUPLICATE)),
    "OFFER_REQUIRED": Told((), _constant(texts.OFFER_REQUIRED)),
    "OFFER_NOT_ON_RECORD": Told(("offerId", "offeredFor"), _off_record),
    "WORLD_MOVED": Told(("offerId", "moved"), _constant(texts.WORLD_MOVED)),
    "ACKNOWLEDGEMENT_REQUIRED": Told(("offerId", "moved", "acknowledgementId"), _unacknowledged),
    "ACKNOWLEDGEMENT_STALE": Told(
        ("offerId", "moved", "acknowledgementId"), _constant(texts.ACK_STALE)
    ),
    "PRINCIPAL_NOT_ALLOWED": Told(("required", "attempted"), _not_allowed),
    "EFFECT_NOT_VERIFIABLE": Told(("needs", "observability"), _constant(texts.EFFECT)),
    "APPROVAL_SPENT": Told(("askId",), _constant(texts.APPROVAL_SPENT)),
    "APPROVAL_STALE": Told(("askId",), _constant(texts.APPROVAL_STALE)),
    "APPROVAL_DECLINED": Told(("askId",), _constant(texts.APPROVAL_DECLINED)),
    "APPROVAL_REVOKED": Told(("askId",), _constant(texts.APPROVAL_REVOKED)),
    "APPROVAL_MISMATCH": Told(("askId", "differs"), _constant(texts.APPROVAL_MISMATCH)),
}
"""Every reason that can arise through a port and has something to tell beyond its word."""
_RETRIABLE: Final = frozenset({"TOOL_DISABLED", "STILL_MOUNTING"})


def told(action: str, refusal: Wire, edge: Edge | None) -> Wire:
    """Tell a refusal: its word, its facts, one sentence."""
    reason = str(refusal["reason"])
    how = TOLD.get(reason, Told())
    answer: Wire = {"ok": False, "judgment": "rejected", "did": action, "reason": reason}
    answer |= {key: refusal[key] for key in how.facts if key in refusal}
    if reason in _RETRIABLE:
        answer["retriable"] = True
    if edge is not None:
        answer |= _of_row(reason, edge)
    sentences = [how.why(refusal), texts.BUSY if "busy" in answer else None]
    why = " ".join(sentence for sentence in sentences if sentence is not None)
    if why:
        answer["why"] = why
    return answer


def _of_row(reason: str, edge: Edge) -> Wire:
    """Add what the served row says that bears on this refusal."""
    facts: Wire = {}
    if reason == "PAYLOAD_INVALID" and "expects" in edge:
        facts["expects"] = edge["expects"]
    if reason == "TOOL_DISABLED" and "blockedBecause" in edge:
        facts["blockedBecause"] = edge["blockedBecause"]
    if "busy" in edge:
        facts["busy"] = edge["busy"]
    return facts
