"""Names as the texts may say them: ids the map declares, words its author wrote, nothing else."""

from onefate.broker.session.draft import Draft
from onefate.broker.session.reads import texts
from onefate.broker.session.state import Cause, Position


def action_label(draft: Draft, action_id: str, does: str | None = None) -> str:
    """Name an action; `does` is what a row captured of it when it was fired."""
    action = draft.action(action_id)
    said = does if does is not None or action is None else action.description
    if said is None:
        return texts.UNDECLARED
    return texts.LABELLED.format(action=action_id, does=said)


def fired_label(draft: Draft, cause: Cause) -> str:
    """Name what a fire was about."""
    return action_label(draft, cause.get("affordanceId", ""), cause.get("does"))


def short_label(draft: Draft, action_id: str) -> str:
    """Name an action by its id alone."""
    return texts.UNDECLARED if draft.action(action_id) is None else action_id


def listed(draft: Draft, action_ids: list[str]) -> str:
    """Name several actions by their ids, each once."""
    return ", ".join(dict.fromkeys(short_label(draft, action_id) for action_id in action_ids))


def principal_word(principal: object) -> str:
    """Say who somebody is."""
    return texts.PRINCIPALS.get(str(principal), texts.PRINCIPALS["unknown"])


def page_label(draft: Draft, page: str) -> str:
    """Name a page, or say that the map does not have it."""
    return page if page in draft.map.pages else texts.UNDECLARED_PAGE


def position_line(draft: Draft, position: Position) -> str:
    """Say where the session stands."""
    if position["node"] not in draft.map.pages:
        return texts.OFF_THE_MAP
    return texts.AT.format(page=position["node"])
