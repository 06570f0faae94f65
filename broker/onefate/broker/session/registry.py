"""Wiring: what performs which action, where controls are mounted, what is switched off or busy.

Only facts are kept; functions stay in the process that brought them. A registration that raises has
bound nothing (spec: graph-session §7; departure 20).
"""

from collections.abc import Collection, Mapping
from typing import NotRequired, TypedDict, cast

from onefate.broker.journey import Action, declare_action
from onefate.broker.journey.names import instance_key
from onefate.broker.journey.scalars import is_blank
from onefate.broker.journey.values import cut
from onefate.broker.session.draft import Draft
from onefate.broker.session.errors import NotRepeated, UnknownAction, UnknownName, UnknownNode
from onefate.broker.session.state import Binding, Declared, Mount, Wire
from onefate.broker.session.structure import touch


class Handle(TypedDict):
    """A registration: what it is released by, and where it sits."""

    id: str
    node: str
    instance: NotRequired[str]


def register_actions(  # noqa: PLR0913 - everything one registration says
    draft: Draft,
    path: str,
    *,
    handlers: Collection[str] = (),
    actions: Mapping[str, Mapping[str, object]] | None = None,
    instance: str | None = None,
    enabled: Mapping[str, bool] | None = None,
    busy: Mapping[str, object] | None = None,
    visible: bool | None = None,
    queue: str | None = None,
) -> Handle:
    """Bind handlers by name on a node, declare new actions there, and hold the node present.

    `handlers` names everything that has one, declared actions included; `enabled` and `busy` speak
    of what is not declared here.

    Raises:
        UnknownNode: the map has no such node.
        NotRepeated: an instance on a node that does not repeat.
        UnknownAction: a name that means no action.
        MapError: a declaration that breaks a rule of the map.
    """
    node = draft.map.nodes.get(path)
    if node is None:
        raise UnknownNode(path, draft.map.nodes)
    if instance is not None and not node.repeats:
        raise NotRepeated(path)
    declared = dict(actions or {})
    for name, definition in declared.items():
        declare_action(draft.map, path, name, definition)
    bound = {name: _resolved(draft, path, name, declared) for name in handlers}
    group = _new_group(draft, path)
    _declare(draft, group, path, declared)
    spoken_of = [name for name in bound if name not in declared]
    off = {name for name in spoken_of if _said_of(enabled, name, bound[name]) is False}
    _bind(draft, group, {name: _key(made, instance) for name, made in bound.items()}, off, queue)
    for name in spoken_of:
        if (label := _said_of(busy, name, bound[name])) is not None:
            set_busy(draft, group, name, label)
    _mount(draft, group, path, instance)
    if visible is not None:
        draft.edit(Draft.nodes)["visible"][path] = visible
    touch(draft)
    handle = Handle(id=group, node=path)
    if instance is not None:
        handle["instance"] = instance
    return handle


def register_handlers(
    draft: Draft, group: str, handlers: Collection[str], *, queue: str | None = None
) -> None:
    """Bind handlers by exact action id under a group's own name; no node becomes present.

    Raises:
        UnknownAction: an id nobody declared.
    """
    for action_id in handlers:
        if draft.action(action_id) is None:
            raise UnknownAction(action_id, draft.map.actions)
    _bind(draft, group, {action_id: action_id for action_id in handlers}, set(), queue)
    touch(draft)


def _key(action_id: str, instance: str | None) -> str:
    return action_id if instance is None else instance_key(action_id, instance)


def _resolved(draft: Draft, path: str, name: str, declared: Collection[str]) -> str:
    own = f"{path}.{name}"
    if name in declared or draft.action(own) is not None:
        return own
    if draft.action(name) is not None:
        return name
    raise UnknownAction(name, draft.map.actions)


def _said_of(said: Mapping[str, object] | None, name: str, action_id: str) -> object:
    """Give what a registration says of an action, by its short name or its id."""
    return None if said is None else said.get(name, said.get(action_id))


def _action_of(key: str) -> str:
    return key.partition("[")[0]


def _new_group(draft: Draft, path: str) -> str:
    counters = draft.edit(Draft.counters)
    counters["group"] += 1
    return f"mount:{path}#{counters['group'] - 1}"


def _declare(
    draft: Draft, group: str, path: str, actions: Mapping[str, Mapping[str, object]]
) -> None:
    for name, definition in actions.items():
        action_id = f"{path}.{name}"
        if action_id in draft.map.actions:
            draft.warn(f"{action_id} is declared by the map; only its handler is bound")
            continue
        stack = draft.edit(Draft.registry)["declared"].setdefault(action_id, [])
        kept = cast("Wire", _storable(definition))
        stack.append(Declared(group=group, node=path, name=name, definition=kept))


def _storable(value: object) -> object:
    """Give the JSON part of a declaration; its functions stay with the process."""
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        return {key: _storable(part) for key, part in table.items() if _is_json(part)}
    if isinstance(value, list | tuple):
        return [_storable(part) for part in cast("list[object]", value) if _is_json(part)]
    return value


def _is_json(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list | tuple | Mapping)


def _bind(
    draft: Draft, group: str, keys: Mapping[str, str], off: Collection[str], queue: str | None
) -> None:
    registry = draft.edit(Draft.registry)
    names = registry["groups"].setdefault(group, {})
    for name, key in keys.items():
        bound = registry["bindings"].get(key)
        if bound is not None and (queue is None or bound.get("queue") != queue):
            draft.warn(f"{key} was wired already; the latest registration performs it")
        binding = Binding(group=group, enabled=name not in off)
        if queue is not None:
            binding["queue"] = queue
        registry["bindings"][key] = binding
        names[name] = key


def _mount(draft: Draft, group: str, path: str, instance: str | None) -> None:
    nodes = draft.edit(Draft.nodes)
    mount = Mount(node=path)
    if instance is None:
        nodes["present"][path] = nodes["present"].get(path, 0) + 1
    else:
        mount["instance"] = instance
        window = nodes["instances"].setdefault(path, {})
        window[instance] = window.get(instance, 0) + 1
    nodes["mounts"][group] = mount
    if draft.map.nodes[path].page != draft.position["node"]:
        nodes["dormant"].setdefault(path, draft.now)


def unregister(draft: Draft, group: str) -> None:
    """Release everything a group holds; a group that holds nothing is released already."""
    if group not in draft.registry["groups"] and group not in draft.nodes["mounts"]:
        return
    registry = draft.edit(Draft.registry)
    registry["groups"].pop(group, None)
    bindings = registry["bindings"]
    registry["bindings"] = {key: b for key, b in bindings.items() if b["group"] != group}
    for action_id, stack in list(registry["declared"].items()):
        left = [declared for declared in stack if declared["group"] != group]
        if left:
            registry["declared"][action_id] = left
        else:
            del registry["declared"][action_id]
    _unmount(draft, group)
    touch(draft)


def _unmount(draft: Draft, group: str) -> None:
    if group not in draft.nodes["mounts"]:
        return
    nodes = draft.edit(Draft.nodes)
    mount = nodes["mounts"].pop(group)
    path = mount["node"]
    if "instance" in mount:
        _count_down(nodes["instances"][path], mount["instance"])
        if not nodes["instances"][path]:
            del nodes["instances"][path]
    else:
        _count_down(nodes["present"], path)
        if path not in nodes["present"]:
            nodes["visible"].pop(path, None)
    if path not in nodes["present"] and path not in nodes["instances"]:
        nodes["dormant"].pop(path, None)


def _count_down(counts: dict[str, int], key: str) -> None:
    counts[key] -= 1
    if not counts[key]:
        del counts[key]


def _switch(draft: Draft, group: str, name: str) -> tuple[str, Binding | None]:
    """Give the key a group registered under a name, and its binding while it is the group's.

    A group that is released has nothing left to switch, whatever the name.
    """
    names = draft.registry["groups"].get(group)
    if names is None:
        return name, None
    key = names.get(name) or next((k for k in names.values() if _action_of(k) == name), None)
    if key is None:
        raise UnknownName(group, name)
    binding = draft.registry["bindings"].get(key)
    return key, binding if binding is not None and binding["group"] == group else None


def set_enabled(draft: Draft, group: str, name: str, *, enabled: bool) -> None:
    """Switch what a group registered on or off.

    Raises:
        UnknownName: the group registered no such name; one that is released switches nothing.
    """
    key, binding = _switch(draft, group, name)
    if binding is None or binding["enabled"] is enabled:
        return
    draft.edit(Draft.registry)["bindings"][key]["enabled"] = enabled
    touch(draft)
    action = draft.action(_action_of(key))
    if not enabled and action is not None and not _explains(action):
        draft.warn(f"{key} is switched off and says neither when it is on nor why it is off")


def _explains(action: Action) -> bool:
    return action.enabled_when is not None or action.blocked_because is not None


def set_busy(draft: Draft, group: str, name: str, label: object = None) -> None:
    """Label what a group registered as busy, or clear the label; it gates nothing.

    Raises:
        UnknownName: the group registered no such name; one that is released switches nothing.
    """
    key, binding = _switch(draft, group, name)
    if binding is None:
        return
    if label is None:
        if "busy" in binding:
            del draft.edit(Draft.registry)["bindings"][key]["busy"]
            touch(draft)
        return
    if not isinstance(label, str) or is_blank(label):
        draft.warn(f"busy of {key} is a label, or nothing to clear it")
        return
    if binding.get("busy") != cut(label):
        draft.edit(Draft.registry)["bindings"][key]["busy"] = cut(label)
        touch(draft)


def set_navigator(draft: Draft, queue: str) -> None:
    """Say whose queue takes the addresses to be opened; the latest process that can does it."""
    if draft.registry.get("navigator") != queue:
        draft.edit(Draft.registry)["navigator"] = queue


def drop_navigator(draft: Draft, queue: str) -> None:
    """Say that this queue's process opens addresses no more."""
    if draft.registry.get("navigator") == queue:
        draft.edit(Draft.registry).pop("navigator", None)


def set_visible(draft: Draft, path: str, *, visible: bool) -> None:
    """Take the app's word on whether a node is visible.

    Raises:
        UnknownNode: the map has no such node.
    """
    if path not in draft.map.nodes:
        raise UnknownNode(path, draft.map.nodes)
    draft.edit(Draft.nodes)["visible"][path] = visible
    touch(draft)


def show(draft: Draft, path: str) -> None:
    """Show a node; a tab is shown in place of its siblings.

    Raises:
        UnknownNode: the map has no such node.
    """
    set_visible(draft, path, visible=True)
    if draft.map.nodes[path].kind == "tab":
        visible = draft.edit(Draft.nodes)["visible"]
        for sibling in draft.map.siblings(path):
            visible[sibling.path] = False
