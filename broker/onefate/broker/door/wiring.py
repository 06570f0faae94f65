"""What is wired to perform actions: shared facts in the session, functions in this process.

A handler registered here is performed by the worker beside this session, from a queue of its own;
an action wired to a named queue is performed by whichever worker process reads that queue. Either
way the fire is recorded first, claimed once, and its outcome decided through the session.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from onefate.broker.door.base import Doors
from onefate.broker.door.orders import Order
from onefate.broker.ledger.claims import Claim
from onefate.broker.performing import Handler, NoHandler
from onefate.broker.session import registry
from onefate.broker.session.draft import Code, Draft

Reader = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Registration:
    """What one call has registered; `group` is what it is switched and released by."""

    group: str
    node: str | None = None
    read: Mapping[str, str] = field(default_factory=dict[str, str])
    """The action id of each control that is read, by the name it was registered with."""


class LocalHandlers:
    """The functions of this process for one session, by registry key."""

    def __init__(self, navigate: Callable[[str], object] | None = None) -> None:
        self._functions: dict[str, tuple[str, Handler]] = {}
        self._groups: dict[str, None] = {}
        self._navigate: Final = navigate

    @property
    def navigates(self) -> bool:
        """Whether addresses can be opened here."""
        return self._navigate is not None

    def bind(self, group: str, functions: Mapping[str, Handler]) -> None:
        """Perform these keys from now on; what else the group holds is this process's, too."""
        self._groups[group] = None
        self._functions |= {key: (group, function) for key, function in functions.items()}

    def release(self, group: str) -> None:
        """Forget a group and what it has bound."""
        self._groups.pop(group, None)
        self._functions = {
            key: bound for key, bound in self._functions.items() if bound[0] != group
        }

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that were registered here."""
        return tuple(self._groups)

    def performs(self, action: str) -> bool:
        """Say yes: the queue beside a session holds only what was wired here."""
        del action
        return True

    def find(self, claim: Claim) -> tuple[Handler, object]:
        """Give the function of a claimed fire and its input.

        Raises:
            NoHandler: it has been unregistered since.
        """
        order = Order.read(claim.payload)
        if order.binding is not None:
            bound = self._functions.get(order.binding)
            if bound is None:
                raise NoHandler(claim.fire_id)
            return bound[1], order.payload
        if self._navigate is None or order.href is None:
            raise NoHandler(claim.fire_id)
        return self._navigate_to(self._navigate, order.href), None

    @staticmethod
    def _navigate_to(navigate: Callable[[str], object], href: str) -> Handler:
        return lambda _payload: navigate(href)


class WiringDoors(Doors):
    """Registering handlers, switching them, and saying what is wired elsewhere."""

    code: Code
    handlers: LocalHandlers

    async def _home(self) -> str:
        """Give the queue of the worker beside this session, started if it has to be."""
        raise NotImplementedError

    async def register_actions(  # noqa: PLR0913 - everything one registration says
        self,
        node: str,
        handlers: Mapping[str, Handler] | None = None,
        *,
        actions: Mapping[str, Mapping[str, object]] | None = None,
        instance: str | None = None,
        enabled: Mapping[str, bool] | None = None,
        busy: Mapping[str, object] | None = None,
        visible: bool | None = None,
        holds: Mapping[str, Reader] | None = None,
    ) -> Registration:
        """Bind functions by name on a node, declare `actions` there, and hold the node present.

        Plain functions run in a thread, async ones on this loop; each is called with the fire's
        input, None where it has none.

        Raises:
            UnknownNode, NotRepeated, UnknownAction, MapError: nothing was bound.
        """
        functions = dict(handlers or {})
        queue = await self._home() if functions else None

        def decision(draft: Draft) -> tuple[str, dict[str, str], dict[str, str]]:
            group = registry.register_actions(
                draft, node, handlers=functions, actions=actions, instance=instance,
                enabled=enabled, busy=busy, visible=visible, queue=queue,
            )["id"]  # fmt: skip
            held = {name: _action_named(draft, node, name) for name in holds or {}}
            return group, dict(draft.registry["groups"].get(group, {})), held

        group, keys, held = await self.decide(decision)
        self.handlers.bind(group, {keys[name]: function for name, function in functions.items()})
        self.bring(
            group,
            readers={held[name]: reader for name, reader in (holds or {}).items()},
            definitions={f"{node}.{name}": made for name, made in (actions or {}).items()},
        )
        return Registration(group, node, held)

    async def register_handlers(self, group: str, handlers: Mapping[str, Handler]) -> Registration:
        """Bind functions by action id; no node becomes present.

        Raises:
            UnknownAction: nothing was bound.
        """
        queue = await self._home()
        await self.decide(
            lambda draft: registry.register_handlers(draft, group, handlers, queue=queue)
        )
        self.handlers.bind(group, handlers)
        return Registration(group)

    async def wire(self, group: str, actions: Collection[str], *, queue: str) -> Registration:
        """Say that workers who read `queue` perform these actions.

        Raises:
            UnknownAction: nothing was bound.
        """
        await self.decide(
            lambda draft: registry.register_handlers(draft, group, actions, queue=queue)
        )
        return Registration(group)

    def bring(
        self,
        group: str,
        *,
        readers: Mapping[str, Reader] | None = None,
        definitions: Mapping[str, Mapping[str, object]] | None = None,
    ) -> None:
        """Bring this process's functions for what another one has registered under `group`.

        Readers and the functions inside declarations are code: each process that serves a session
        brings its own, by action id.
        """
        for action, reader in (readers or {}).items():
            self.code.hold(group, action, reader)
        for action, definition in (definitions or {}).items():
            self.code.remember(group, action, definition)

    async def unregister(self, group: str) -> None:
        """Release what a group has registered, here and in the session; again is harmless."""
        await self.decide(lambda draft: registry.unregister(draft, group))
        self.drop(group)

    def drop(self, group: str) -> None:
        """Let go of this process's functions of a group that has been released."""
        self.handlers.release(group)
        self.code.release(group)

    async def set_enabled(self, group: str, name: str, *, enabled: bool) -> None:
        """Switch what a group registered on or off, for every process.

        Raises:
            UnknownName: the group registered no such name; one that is released switches nothing.
        """
        await self.decide(lambda draft: registry.set_enabled(draft, group, name, enabled=enabled))

    async def set_busy(self, group: str, name: str, label: object = None) -> None:
        """Label what a group registered as busy, or clear the label; it gates nothing.

        Raises:
            UnknownName: the group registered no such name; one that is released switches nothing.
        """
        await self.decide(lambda draft: registry.set_busy(draft, group, name, label))


def _action_named(draft: Draft, node: str, name: str) -> str:
    own = f"{node}.{name}"
    return own if draft.action(own) is not None else name
