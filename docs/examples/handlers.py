"""What a worker process performs: a function for each action, by id."""

from onefate.workers import report


async def take(_: object) -> object:
    """Put one into the cart, and report what that changed."""
    await report({"cart": 1})
    return {"cart": 1}


HANDLERS = {"shelf.take": take}
