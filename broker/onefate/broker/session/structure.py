"""Structure: what is wired and mounted, as one fingerprint; a real change of it is a row.

Changes of one tick coalesce: a change and its reverse leave no trace (spec: graph-session §7.5,
§7.7, §13.4).
"""

from onefate.broker.journey.canonical import canonical_digest
from onefate.broker.session import frames, gaps, rows
from onefate.broker.session.draft import Draft
from onefate.broker.session.facts import could_materialise
from onefate.broker.session.state import Attribution, Cause


def touch(draft: Draft) -> None:
    """Note that the structure may have changed; a flush finds out."""
    if not draft.registry["dirty"]:
        draft.edit(Draft.registry)["dirty"] = True


def flush_structure(draft: Draft) -> bool:
    """Record what changed in the structure since the last flush; give whether anything did."""
    if not draft.registry["dirty"]:
        return False
    registry = draft.edit(Draft.registry)
    registry["dirty"] = False
    now = _fingerprint(draft)
    if now == registry["fingerprint"]:
        return False
    registry["fingerprint"] = now
    cause = Cause(kind="stimulus", principal="system", stimulus="structure-swap")
    filed = Attribution(principal="system", basis="declared-stimulus", certainty="observed")
    row = rows.mint(draft, "stimulus:structure-swap", cause, filed)
    rows.observe_nothing(row)
    rows.commit_state(draft, row, {})
    counters = draft.edit(Draft.counters)
    counters["version"] += 1
    counters["structureVersion"] += 1
    frames.check_demotion(draft)
    check_dead_end(draft)
    return True


def _fingerprint(draft: Draft) -> str:
    registry, nodes = draft.registry, draft.nodes
    wired = [
        [key, binding["enabled"], binding.get("busy")]
        for key, binding in sorted(registry["bindings"].items())
        if not key.endswith("]") or not binding["enabled"] or "busy" in binding
    ]
    present = sorted(path for path, count in nodes["present"].items() if count > 0)
    parts = [wired, present, sorted(nodes["visible"].items()), sorted(registry["declared"])]
    return canonical_digest(parts) if any(parts) else ""


def check_dead_end(draft: Draft) -> None:
    """Note, once for each structure, a page on which nothing declared could be performed."""
    options, page = draft.options, draft.position["node"]
    if options.tour or not (draft.registry["bindings"] or options.navigate):
        return
    here = [action for action in draft.actions() if page in action.on]
    if any(could_materialise(draft, action) for action in here):
        return
    known = page in draft.map.pages
    wired = draft.registry["fingerprint"] if known else ""
    mark = f"dead-end:{canonical_digest([page, wired])[:32]}"
    if draft.marks.get(mark):
        return
    draft.marks.put(mark, value=True)
    gaps.note(draft, "dead-end")
    draft.warn(f"nothing on {page} could be performed by anybody")


def move_mounts(draft: Draft, page: str) -> None:
    """Let what is mounted anywhere but on this page fall dormant, and wake what is on it."""
    nodes = draft.map.nodes
    mounted = draft.nodes["present"].keys() | draft.nodes["instances"].keys()
    dormant = draft.nodes["dormant"]
    asleep = [p for p in sorted(mounted) if nodes[p].page != page and p not in dormant]
    awake = [path for path in dormant if nodes[path].page == page]
    if not asleep and not awake:
        return
    clocks = draft.edit(Draft.nodes)["dormant"]
    for path in awake:
        del clocks[path]
    for path in asleep:
        clocks[path] = draft.now


def check_drift(draft: Draft) -> None:
    """Report, once for each node, what has long been mounted on a page where the session is not."""
    nodes, grace, page = draft.nodes, draft.options.dormant_grace, draft.position["node"]
    late = [
        path
        for path, since in nodes["dormant"].items()
        if draft.now - since >= grace
        and path not in nodes["warned"]
        and draft.map.nodes[path].page != page
    ]
    for path in late:
        draft.edit(Draft.nodes)["warned"].append(path)
        draft.warn(f"{path} is mounted on a page where the session is not")
        gaps.note(draft, "reported", reason="sensor-drift", principal="system")
