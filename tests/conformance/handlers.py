"""Handlers as scenarios describe them, made into coroutines that run anywhere."""

from collections.abc import Awaitable, Callable

from tests.conformance.driver import App, Handler
from tests.conformance.functions import Error
from tests.conformance.scenario import Json, table, text

Saver = Callable[[str, Json], None]


def described(description: Json, app: App, save: Saver) -> Handler:
    """The handler that a scenario describes; `save` keeps what it saves under a name."""
    wanted = table(description)
    kind = wanted.get("kind", "nothing")
    act = KINDS[text(kind)]

    async def handler(payload: object) -> object:
        return await act(wanted, payload, app, save)

    return handler


async def _nothing(_wanted: dict[str, Json], _payload: object, _app: App, _save: Saver) -> object:
    return None


async def _return(wanted: dict[str, Json], _payload: object, _app: App, _save: Saver) -> object:
    return wanted.get("value")


async def _throw(wanted: dict[str, Json], _payload: object, _app: App, _save: Saver) -> object:
    raise Error(wanted.get("message"))


async def _echo(_wanted: dict[str, Json], payload: object, _app: App, _save: Saver) -> object:
    return payload


async def _defer(wanted: dict[str, Json], _payload: object, app: App, _save: Saver) -> object:
    return await app.deferred(text(wanted["key"]))


async def _update(wanted: dict[str, Json], _payload: object, app: App, _save: Saver) -> object:
    await app.report(wanted.get("delta"), table(wanted.get("options")))
    return _finished(wanted)


async def _work(wanted: dict[str, Json], _payload: object, app: App, save: Saver) -> object:
    label = wanted.get("label")
    opened = await app.begin_work(
        label if isinstance(label, str) else None, table(wanted.get("options"))
    )
    save(text(wanted["save"]), opened)
    return _finished(wanted)


def _finished(wanted: dict[str, Json]) -> Json:
    if "throw" in wanted:
        raise Error(wanted["throw"])
    return wanted.get("value")


KINDS: dict[str, Callable[[dict[str, Json], object, App, Saver], Awaitable[object]]] = {
    "nothing": _nothing,
    "return": _return,
    "throw": _throw,
    "echo": _echo,
    "defer": _defer,
    "update": _update,
    "work": _work,
}
