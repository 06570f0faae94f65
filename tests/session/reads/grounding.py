"""The two grounding texts as lines, and the cards and frames that they tell of."""

from typing import cast

from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.brief import context_brief
from onefate.broker.session.reads.truth import ground_truth
from onefate.broker.session.state import (
    Ask,
    Frame,
)
from tests.session.reads.world import NOW


def facts(draft: Draft, since: int | None = None) -> list[str]:
    return ground_truth(draft, since)["text"].splitlines()


def brief(draft: Draft, since: int | None = None) -> list[str]:
    return context_brief(draft, since)["text"].splitlines()


def card(draft: Draft, number: int, *, live: bool = True, **state: object) -> None:
    ask = cast("Ask", {"askId": f"ask#{number}", "affordanceId": "chart.sign", **state})
    asks = draft.edit(Draft.asks)
    asks["newest"]["chart.sign"] = ask["askId"]
    if live:
        asks["live"][ask["askId"]] = ask
    else:
        draft.closed_asks.put(ask["askId"], ask)


def opened(draft: Draft, **fired: int) -> None:
    draft.edit(Draft.frame)["open"] = Frame(
        number=1,
        journeyId="round",
        status="open",
        principal="agent",
        openedAt=NOW,
        openedAtVersion=0,
        fired={f"chart.{name}": count for name, count in fired.items()},
        inferred={},
    )
