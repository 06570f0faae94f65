"""Motion: where the app says it is, which claims that confirms, and what is looked at.

A report moves the cursor and may confirm one claimed navigation; it never denies one (spec:
graph-session §8.4, §8.5; departure 14).
"""

from onefate.broker.journey.routes import match_route
from onefate.broker.session import frames, rows, structure
from onefate.broker.session.draft import Draft
from onefate.broker.session.errors import UnknownNode
from onefate.broker.session.reads.tree import Served, Tree
from onefate.broker.session.state import Attribution, Cause, Claim, Row, Wire


def sync(
    draft: Draft, node: str, *, stimulus: str = "navigation", principal: str | None = None
) -> Wire:
    """Take the app's word on where it is, and give `{changed, node, version, offGraph?}`.

    A page outside the map is followed, and nothing is served there.
    """
    draft.edit(Draft.position)["reports"] += 1
    return _observe(draft, _page_of(draft, node), stimulus, principal)


def _page_of(draft: Draft, node: str) -> str:
    found = draft.map.nodes.get(node)
    if found is None or found.page == node:
        return node
    draft.warn(f"{node} is no page; the report is taken as one of its page {found.page}")
    return found.page


def _observe(draft: Draft, page: str, stimulus: str, principal: str | None) -> Wire:
    if page == draft.position["node"]:
        was_reported = draft.position["reported"]
        if not was_reported:
            draft.edit(Draft.position)["reported"] = True
        join_arrival(draft, page)
        if not was_reported:
            structure.check_dead_end(draft)
        return {"changed": False, "node": page, "version": draft.counters["version"]}
    cause = Cause(kind="stimulus", principal=principal or "system", stimulus=stimulus)
    _hop(draft, page, cause, principal or "unknown")
    answer: Wire = {"changed": True, "node": page, "version": draft.counters["version"]}
    if page not in draft.map.pages:
        answer["offGraph"] = True
    return answer


def _hop(draft: Draft, page: str, cause: Cause, principal: str) -> None:
    filed = Attribution(principal=principal, basis="declared-stimulus", certainty="observed")
    row = rows.mint(draft, f"sync:{page}", cause, filed)
    rows.observe_nothing(row, page)
    row["record"]["unverifiedEdge"] = True
    rows.commit_state(draft, row, {})
    draft.version_up()
    looked_at = focus(draft)
    position = draft.edit(Draft.position)
    position["node"], position["focus"], position["reported"] = page, page, True
    _log_focus(draft, looked_at, page, {"kind": cause["kind"], "principal": cause["principal"]})
    structure.move_mounts(draft, page)
    frames.check_demotion(draft)
    join_arrival(draft, page)
    structure.check_dead_end(draft)


def walk_back(draft: Draft, row: Row) -> None:
    """Take back a claimed move of the cursor, unless the app has reported a position since."""
    moved = row.pop("moved", None)
    record, position = row["record"], draft.position
    if moved is None or moved != position["reports"]:
        return
    if position["node"] == record.get("toNode") and position["node"] != record["fromNode"]:
        _observe(draft, record["fromNode"], "navigation", None)


def open_claim(draft: Draft, row: Row, target: str | None) -> None:
    """Replace whatever arrival is awaited by this fire's own, if it claims one."""
    if target is None and "claim" not in draft.position:
        return
    position = draft.edit(Draft.position)
    position.pop("claim", None)
    if target is not None:
        position["claim"] = Claim(id=row["record"]["id"], target=target)


def join_arrival(draft: Draft, page: str) -> None:
    """Consume the awaited arrival: the same page confirms it, any other says nothing about it."""
    claim = draft.position.get("claim")
    if claim is None:
        return
    draft.edit(Draft.position).pop("claim", None)
    here = page if page in draft.map.pages else match_route(draft.map.routes, page)
    known = rows.find(draft, claim["id"])
    if here != claim["target"] or known is None or known["record"]["outcome"] in rows.UNDONE:
        return
    row = rows.edit(draft, claim["id"])
    row["record"]["arrival"] = "observed"


def focus(draft: Draft) -> str:
    """Give the node that is looked at: the nearest one served, the page where it is stale."""
    page, path = draft.position["node"], draft.position["focus"]
    node = draft.map.nodes.get(path)
    if node is None or node.page != page:
        return page
    tree = Tree(draft)
    lineage = reversed(draft.map.lineage(path))
    return next((n.path for n in lineage if isinstance(tree.gate(n.path), Served)), page)


def looking_at(draft: Draft) -> str | None:
    """Give the node that is looked at, None where it is the page itself."""
    path = focus(draft)
    return None if path == draft.position["node"] else path


def observe_focus(draft: Draft, path: str, *, principal: str = "unknown") -> None:
    """Take somebody's word on what is looked at; no version moves.

    Raises:
        UnknownNode: the map has no such node on this page.
    """
    node = draft.map.nodes.get(path)
    if node is None or node.page != draft.position["node"]:
        page = draft.position["node"]
        raise UnknownNode(path, [n.path for n in draft.map.nodes.values() if n.page == page])
    _move_focus(draft, path, {"kind": "stimulus", "principal": principal})


def focus_fired(draft: Draft, action_id: str, principal: str, path: str) -> None:
    """Look at the node of an action that was fired, if the session still stands on its page."""
    cause: Wire = {"kind": "fired", "principal": principal, "affordanceId": action_id}
    if draft.map.nodes[path].page == draft.position["node"]:
        _move_focus(draft, path, cause)
    else:
        _log_focus(draft, focus(draft), path, cause, moved=False)


def _move_focus(draft: Draft, path: str, cause: Wire) -> None:
    before = focus(draft)
    draft.edit(Draft.position)["focus"] = path
    _log_focus(draft, before, path, cause)


def _log_focus(
    draft: Draft, before: str, path: str, cause: Wire, *, moved: bool | None = None
) -> None:
    shifted = before != path if moved is None else moved
    draft.focus_log.append({"from": before, "to": path, "moved": shifted, "cause": cause})
