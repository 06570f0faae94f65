"""Small sessions over a map, for tests of load and commit."""

from collections.abc import Sequence

from onefate.broker import Broker
from onefate.broker.ledger.changes import Change, Committed, Conflict, NewFire, NewSettlement, Pins
from onefate.broker.ledger.ids import new_token
from onefate.broker.ledger.sessions import MapSession

PINS = Pins(map="map-1", options="options-1")


def over_a_map(broker: Broker, session: str, pins: Pins = PINS) -> MapSession:
    return broker.session(session, pins)


def rows(*, counter: int, revision: int = 0, token: str | None = None) -> Change:
    return Change(
        revision=revision,
        token=token or new_token(),
        counter=counter,
        sections={"position": f"at {counter}".encode()},
    )


def firing(
    *ids: str, revision: int = 0, queue: str | None = None, repeatable: bool = False
) -> Change:
    return Change(
        revision=revision,
        token=new_token(),
        counter=len(ids),
        sections={"latches": ",".join(ids).encode()},
        fires=[
            NewFire(
                id=each, action=each.split("#")[0], principal="agent", by="agent",
                payload=b"{}", queue=queue, repeatable=repeatable,
            )
            for each in ids
        ],
    )  # fmt: skip


def settling(
    settlements: Sequence[NewSettlement], *, revision: int, counter: int, token: str | None = None
) -> Change:
    return Change(
        revision=revision,
        token=token or new_token(),
        counter=counter,
        sections={"latches": b""},
        settlements=settlements,
    )


def performed_by(fire_id: str, by: str = "w", fence: int | None = None) -> NewSettlement:
    return NewSettlement(id=fire_id, status="performed", by=by, envelope=b"{}", fence=fence)


def committed(answer: Committed | Conflict) -> Committed:
    assert isinstance(answer, Committed)
    return answer
