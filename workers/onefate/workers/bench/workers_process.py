"""The process of the workers: it settles what the other process records, of every kind of life.

`python -m` this, with a URL and a namespace: it says `ready` in one line once it works, answers
each line of its input with the commands it has sent so far, by kind, and ends with its input.
"""

import json
import sys

import anyio

from onefate.broker.door import open_session
from onefate.broker.door.outcomes import SessionOutcomes
from onefate.broker.performing import HandlersByAction, Worker
from onefate.workers.bench import app
from onefate.workers.bench.far import sent
from onefate.workers.bench.floor import FloorWorker
from onefate.workers.bench.place import Place
from onefate.workers.doors import LedgerDoor
from onefate.workers.handlers import AppHandlers


async def _work(url: str, namespace: str) -> None:
    here = Place(url, namespace)
    async with (
        here.broker() as floor,
        here.broker() as ledger,
        here.broker() as port,
        open_session(port, app.PORT_SESSION, app.MAP, app.OPTIONS, name="worker") as session,
        ledger.queue(app.LEDGER_QUEUE, "worker") as fires,
        port.queue(app.PORT_QUEUE, "worker", session=app.PORT_SESSION) as orders,
        anyio.create_task_group() as group,
    ):
        await group.start(FloorWorker(floor.link, namespace).run)
        by_action = HandlersByAction({"pay": app.handler})
        await group.start(Worker(fires, LedgerDoor(ledger, "worker"), by_action).run)
        by_order = AppHandlers({app.PAY: app.handler})
        performing = Worker(orders, SessionOutcomes(session), by_order, foresee=session.foresee)
        await group.start(performing.run)
        await session.wire("worker", [app.PAY], queue=app.PORT_QUEUE)
        await session.flush()
        _say("ready")
        while await anyio.to_thread.run_sync(sys.stdin.readline):
            kinds = {"floor": floor, "ledger": ledger, "port": port}
            _say(json.dumps({name: sent(broker) for name, broker in kinds.items()}))
        group.cancel_scope.cancel()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(_work, sys.argv[1], sys.argv[2])
