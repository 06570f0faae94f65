"""What the app says of a control when a row is composed: what it contains, and why it is off.

Readers are the app's code and are called now; one that raises or answers nonsense says nothing
(spec: graph-session §6.1, §7.6).
"""

from typing import Literal, cast

from onefate.broker.journey import Action, Blocked
from onefate.broker.journey.values import (
    ABSENT,
    Absent,
    Json,
    bounded,
    detached,
    is_list,
    is_object,
    redacted,
)
from onefate.broker.journey.words import CLEARED_BY
from onefate.broker.session.draft import Draft
from onefate.broker.session.reads.rows import BlockedBecause


def held_value(draft: Draft, action: Action) -> Json | Literal[Absent.ABSENT]:
    """Give what the control contains, bounded and redacted; `ABSENT` where it cannot be read.

    An action that takes no input contains nothing, and neither does a template of instances.
    """
    readers = draft.code.holds.get(action.id)
    if not readers or action.no_input or _repeats(draft, action):
        return Absent.ABSENT
    try:
        value = readers[-1][1]()
    except Exception:  # noqa: BLE001 - the reader is the app's, and so is whatever it raises
        return Absent.ABSENT
    if not _is_json(value):
        return Absent.ABSENT
    shown = bounded(value)
    if shown == {} and value != {}:
        return Absent.ABSENT
    return cast("Json", redacted(shown, draft.options.redacted_payload))


def _is_json(value: object) -> bool:
    plain = value is None or isinstance(value, bool | int | float | str)
    return plain or is_object(value) or is_list(value)


def _repeats(draft: Draft, action: Action) -> bool:
    path = draft.placed(action.id)
    return path is not None and draft.map.nodes[path].repeats


def blocked_because(draft: Draft, action: Action) -> BlockedBecause | None:
    """Give the app's reason for a control that is off; None where it has none, or a broken one."""
    reason = action.blocked_because
    if reason is None:
        return None
    if isinstance(reason, Blocked):
        return BlockedBecause(says=reason.says, clearedBy=reason.cleared_by)
    try:
        answer = reason({key: detached(value) for key, value in draft.state.items()})
    except Exception:  # noqa: BLE001 - the reader is the app's, and so is whatever it raises
        draft.warn(f"why {action.id} is blocked cannot be read")
        return None
    if answer is None or answer is ABSENT or answer is Absent.ABSENT:
        return None
    spoken = _spoken(answer)
    if spoken is None:
        draft.warn(f"why {action.id} is blocked is not told by says and clearedBy")
    return spoken


def _spoken(answer: object) -> BlockedBecause | None:
    if isinstance(answer, Blocked):
        return BlockedBecause(says=answer.says, clearedBy=answer.cleared_by)
    if not is_object(answer):
        return None
    says, cleared_by = answer.get("says"), answer.get("clearedBy")
    if not isinstance(says, str) or not says.strip() or cleared_by not in CLEARED_BY:
        return None
    return BlockedBecause(says=says, clearedBy=str(cleared_by))
