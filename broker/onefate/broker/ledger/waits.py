"""Waiting for several fires at once, ended by the first that cannot be waited for."""

from collections.abc import Awaitable, Callable, Sequence

import anyio

from onefate.broker.errors import OnefateError
from onefate.broker.ledger.models import Settlement


async def wait_together(
    wait: Callable[[str], Awaitable[Settlement]], fire_ids: Sequence[str], enough: int
) -> dict[int, Settlement]:
    """Wait for the fires until `enough` of them settled; gives them by their place in the list.

    Raises:
        OnefateError: the first error of one wait, with the other waits ended.
    """
    found: dict[int, Settlement] = {}
    failed: list[OnefateError] = []

    async with anyio.create_task_group() as group:

        async def one(index: int, fire_id: str) -> None:
            try:
                found[index] = await wait(fire_id)
            except OnefateError as error:
                failed.append(error)
            if failed or len(found) >= enough:
                group.cancel_scope.cancel()

        for index, fire_id in enumerate(fire_ids):
            group.start_soon(one, index, fire_id)
    if failed:
        raise failed[0]
    return found
