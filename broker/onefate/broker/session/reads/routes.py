"""How a page is reached from here over declared navigation (spec: graph-session §13.3)."""

from onefate.broker.journey.routes import Hop
from onefate.broker.journey.routes import how_to_reach as way
from onefate.broker.session.draft import Draft


def how_to_reach(draft: Draft, page: str) -> tuple[Hop, ...] | None:
    """Give the shortest declared way to `page`: empty if the session stands there, None if none is.

    Guards are not asked, so a way is no permission.

    Raises:
        UnknownPageError: the map has no such page.
    """
    mounted = (a for a in draft.actions() if a.description_source == "registration")
    return way(draft.map, draft.position["node"], page, mounted)
