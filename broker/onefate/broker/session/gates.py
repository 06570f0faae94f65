"""The gates of a fire, as data: the first that refuses answers, and nothing has happened.

Order (spec: graph-session §9.2): the tree, then what cannot be done at all, then repeats, then the
plan, then authority; so nobody is asked to approve what would be refused anyway.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from onefate.broker.journey.conditions import evaluate
from onefate.broker.journey.names import instance_key
from onefate.broker.journey.values import detached
from onefate.broker.session import concurrency, freshness, texts, verdict
from onefate.broker.session.attempt import Attempt
from onefate.broker.session.reads.page import served_ids
from onefate.broker.session.reads.tree import Existence, Hidden, existence, node_gate
from onefate.broker.session.state import Wire

Ask: TypeAlias = Callable[[Attempt], Wire | None]
"""A gate: gives why it refuses, None to let pass."""

_KINDS: Final = {"user": "human", "agent": "agent", "system": "system"}


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate of the order, and whether a record-only fire passes it unasked."""

    ask: Ask
    executing: bool = False
    before_card: bool = False
    """No person can change its answer, so it is asked before a card is minted (departure 9)."""


def _placed(attempt: Attempt) -> str | None:
    return None if attempt.action is None else attempt.draft.placed(attempt.action_id)


def hidden(attempt: Attempt) -> Wire | None:
    """Refuse what an overlay masks, or what is not visible."""
    path = _placed(attempt)
    gate = None if path is None else node_gate(attempt.draft, path)
    if not isinstance(gate, Hidden):
        return None
    key = "overlay" if gate.reason == "BLOCKED_BY_OVERLAY" else "node"
    return {"reason": gate.reason, key: gate.node}


def _existence(attempt: Attempt) -> Existence | None:
    path = _placed(attempt)
    node = None if path is None else attempt.draft.map.nodes[path]
    return existence(attempt.draft, node) if node is not None and node.repeats else None


def instance_missing(attempt: Attempt) -> Wire | None:
    """Refuse a repeated control without its instance."""
    if attempt.options.instance is not None:
        return None
    found = _existence(attempt)
    if found is None:
        return None
    shown = {"instances": found.shown, "instancesTotal": found.total}
    return {"reason": "INSTANCE_REQUIRED", **shown}


def instance_unknown(attempt: Attempt) -> Wire | None:
    """Refuse an instance that does not exist."""
    if attempt.options.instance is None:
        return None
    found = _existence(attempt)
    if found is None or attempt.options.instance in found.keys:
        return None
    return {
        "reason": "INSTANCE_UNKNOWN",
        "instances": found.shown,
        "instancesTotal": found.total,
        "verdict": "never-existed" if found.enumeration == "selector" else "unsupported",
    }


def still_mounting(attempt: Attempt) -> Wire | None:
    """Refuse what is only assumed to be there while the app mounts its controls."""
    path = _placed(attempt)
    if path is None or attempt.binding is not None or not attempt.draft.nodes["mounts"]:
        return None
    gate = node_gate(attempt.draft, path)
    if isinstance(gate, Hidden) or gate.activation != "assumed":
        return None
    return {"reason": "STILL_MOUNTING", "node": path}


def undeclared(attempt: Attempt) -> Wire | None:
    """Refuse an action nobody declared."""
    if attempt.action is not None:
        return None
    return {"reason": "UNKNOWN_AFFORDANCE", "available": served_ids(attempt.draft)}


def stale_cursor(attempt: Attempt) -> Wire | None:
    """Refuse a version that has passed."""
    version = attempt.draft.counters["version"]
    expected = attempt.options.expected_version
    return None if expected in (None, version) else {"reason": "STALE_CURSOR", "version": version}


def elsewhere(attempt: Attempt) -> Wire | None:
    """Refuse an action of another page."""
    page = attempt.draft.position["node"]
    return None if page in attempt.known.on else {"reason": "NOT_ON_NODE", "node": page}


def guarded(attempt: Attempt) -> Wire | None:
    """Refuse an action whose guard is known to fail."""
    if attempt.guard.matched:
        return None
    return {"reason": "GUARD_FAILED", "evidence": list(attempt.guard.conditions)}


def invalid(attempt: Attempt) -> Wire | None:
    """Refuse an input that breaks the action's contract, or that JSON cannot hold."""
    issues = attempt.checked.issues
    if issues is None and attempt.digest is None:
        issues = texts.NOT_JSON
    return None if issues is None else {"reason": "PAYLOAD_INVALID", "issues": issues}


def disabled(attempt: Attempt) -> Wire | None:
    """Refuse a control that is switched off: by a condition, or by the app."""
    action, draft = attempt.known, attempt.draft
    refused: Wire = {"reason": "TOOL_DISABLED", "affordanceId": action.id}
    judged = evaluate(action.enabled_when, draft.state, draft.options.redacted_keys)
    if judged.verdict == "failed":
        return {**refused, "evidence": list(judged.failing)}
    bindings, instance = draft.registry["bindings"], attempt.options.instance
    own = None if instance is None else bindings.get(instance_key(action.id, instance))
    binding = bindings.get(action.id) if own is None else own
    return refused if binding is not None and not binding["enabled"] else None


def unwired(attempt: Attempt) -> Wire | None:
    """Refuse an agent what nothing performs."""
    source = attempt.options.source
    if source != "agent" or attempt.binding is not None or attempt.draft.options.tour:
        return None
    refused: Wire = {"reason": "NOT_MATERIALIZED", "affordanceId": attempt.action_id}
    if attempt.known.binding is not None:
        refused["gesture"] = detached(attempt.known.binding)
    return refused


def prior_pending(attempt: Attempt) -> Wire | None:
    """Refuse a repeat of a fire that is still open."""
    action = attempt.known
    if action.concurrency.mode == "parallel":
        return None
    instance = attempt.options.instance
    open_fire = concurrency.open_repeat(attempt.draft, action, attempt.payload, instance)
    if open_fire is None:
        return None
    return {
        "reason": "PRIOR_FIRE_PENDING",
        "affordanceId": action.id,
        "pendingTransitionId": open_fire["id"],
        "scope": action.concurrency.scope,
        "howToSettle": texts.HOW_TO_SETTLE,
    }


def performed(attempt: Attempt) -> Wire | None:
    """Refuse a repeat of a once action, unless a person has acted since."""
    action, draft = attempt.known, attempt.draft
    if action.concurrency.mode != "once":
        return None
    instance = attempt.options.instance
    receipt = concurrency.latest_receipt(draft, action, attempt.payload, instance)
    if receipt is None:
        return None
    act = concurrency.person_since(draft, receipt)
    if act is not None:
        attempt.repeated = {"priorTransitionId": receipt["id"], "personActedSince": act}
        return None
    return {
        "reason": "DUPLICATE_EXECUTION",
        "affordanceId": action.id,
        "priorTransitionId": receipt["id"],
        "scope": action.concurrency.scope,
        "howToRepeat": texts.HOW_TO_REPEAT,
    }


def principal(attempt: Attempt) -> Wire | None:
    """Refuse who may not invoke, where the session enforces that."""
    policy = attempt.known.principal_policy
    if policy is None or policy.may_invoke is None:
        return None
    source = attempt.options.source
    allowed = _KINDS.get(source) in policy.may_invoke
    if allowed or not attempt.draft.options.enforce_principal_policy:
        return None
    return {
        "reason": "PRINCIPAL_NOT_ALLOWED",
        "affordanceId": attempt.action_id,
        "required": list(policy.may_invoke),
        "attempted": source,
    }


def unverifiable(attempt: Attempt) -> Wire | None:
    """Refuse a high effect that nothing could confirm, where the session asks for that."""
    action = attempt.known
    if not (attempt.draft.options.high_effect_requires_verify and action.high_effect):
        return None
    observed = action.observability
    refused: Wire = {"reason": "EFFECT_NOT_VERIFIABLE", "affordanceId": action.id}
    if observed is None:
        return {**refused, "needs": "observability"}
    if observed in ("state-delta", "unobservable"):
        return {**refused, "needs": "postcondition", "observability": observed}
    return None


GATES: Final = (
    Gate(hidden),
    Gate(instance_missing, before_card=True),
    Gate(instance_unknown, before_card=True),
    Gate(still_mounting, executing=True, before_card=True),
    Gate(undeclared),
    Gate(stale_cursor),
    Gate(elsewhere),
    Gate(guarded),
    Gate(invalid, before_card=True),
    Gate(disabled, executing=True),
    Gate(unwired, executing=True, before_card=True),
    Gate(prior_pending, executing=True),
    Gate(performed, executing=True),
    Gate(freshness.refusal),
    Gate(principal, executing=True, before_card=True),
    Gate(unverifiable, executing=True, before_card=True),
    Gate(verdict.refusal, executing=True),
)


def first_refusal(attempt: Attempt, *, before_card: bool = False) -> Wire | None:
    """Give the answer of the first gate that refuses, None where all let the attempt pass.

    With `before_card` only those gates are asked whose answer no person can change.
    """
    for gate in GATES:
        if gate.executing and not attempt.options.invoke:
            continue
        if before_card and (not gate.before_card or attempt.action is None):
            continue
        refused = gate.ask(attempt)
        if refused is not None:
            return refused
    return None
