"""An app's handlers, as a worker process has them: functions by action id."""

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from onefate.broker.door.orders import Order
from onefate.broker.ledger.claims import Claim
from onefate.broker.performing import Handler, NoHandler
from onefate.workers.errors import BadHandlers


@dataclass(frozen=True, slots=True)
class AppHandlers:
    """Performs fires over a map: each calls its action's function with the fire's input."""

    functions: Mapping[str, Handler]

    def performs(self, action: str) -> bool:
        """Tell whether there is a function for this action."""
        return action in self.functions

    def find(self, claim: Claim) -> tuple[Handler, object]:
        """Give the function and the input of a claimed fire.

        Raises:
            NoHandler: the fire is wired to something else than a function of this app.
        """
        order = Order.read(claim.payload)
        function = self.functions.get(order.binding or "")
        if function is None:
            raise NoHandler(claim.fire_id)
        return function, order.payload


def load_handlers(name: str) -> Mapping[str, Handler]:
    """Import handlers named `module:attribute`, a mapping of functions by action id.

    From here on the process looks for modules in the current folder first.

    Raises:
        BadHandlers: the name does not lead to one.
    """
    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute:
        raise BadHandlers(name, "write module:attribute")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        problem = f"{error}; put the folder it is in on PYTHONPATH"
        raise BadHandlers(name, problem) from error
    except ImportError as error:
        raise BadHandlers(name, str(error)) from error
    found: object = getattr(module, attribute, None)
    if not isinstance(found, Mapping) or not found:
        raise BadHandlers(name, "the attribute must be a mapping of functions by action id")
    functions = cast("Mapping[object, object]", found)
    for action, function in functions.items():
        if not isinstance(action, str) or not callable(function):
            raise BadHandlers(name, f"{action!r} does not name a function")
    return cast("Mapping[str, Handler]", functions)
