"""The pure twin and real stores under the same commands and faults, compared at each step."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from onefate.broker import (
    BrokerSettings,
    Claim,
    Durability,
    Entry,
    Ledger,
    Outcome,
    performed,
    refused,
    unobservable,
)
from onefate.broker.errors import NeverExisted
from onefate.broker.ledger.faults import StaleFence
from onefate.broker.ledger.ids import new_token
from tests.guarantees import proves
from tests.ledger.flaky import Fault
from tests.ledger.leaks import leaks
from tests.ledger.servers import BACKENDS, Backend, server
from tests.model.clients import Clients, clients
from tests.model.twin import Receipt, TwinFire, TwinLedger

pytestmark = proves(
    "settle:first-wins",
    "settle:lost-reply",
    "settle:immutable",
    "fire:atomic",
    "fire:started-once",
    "id:never-reused",
    "answer:one-truth",
    "store:declared",
)

CLIENTS = st.sampled_from([0, 1])
FAULTS = st.lists(st.sampled_from(["command", "reply"]), max_size=2)
ACTIONS = st.sampled_from(["pay", "ship.order"])
OUTCOMES = st.sampled_from([performed(), performed({"n": 1}), refused("no"), unobservable("gone")])
SESSION = "model"


class LedgerMachine(RuleBasedStateMachine):
    fires = Bundle("fires")

    def __init__(self, store: BrokerSettings) -> None:
        super().__init__()
        self.store = store
        self.stack = ExitStack()
        self.twin = TwinLedger()
        self.ever: set[str] = set()
        self.histories = 0

    @initialize()
    def open(self) -> None:
        self.clients: Clients = self.stack.enter_context(clients(self.store))

    def teardown(self) -> None:
        if hasattr(self, "clients"):
            left = self.clients.call(lambda: leaks(self.clients.side))
            self.stack.close()
            assert left == []

    def ledger(self, client: int, faults: list[Fault] | None = None) -> Ledger:
        self.clients.lose(client, faults or [])
        return self.clients.brokers[client].ledger(SESSION)

    @rule(target=fires, client=CLIENTS, faults=FAULTS, action=ACTIONS, repeatable=st.booleans())
    def record(self, client: int, faults: list[Fault], action: str, repeatable: bool) -> str:  # noqa: FBT001
        ledger = self.ledger(client, faults)
        fire = self.clients.call(partial(ledger.record, action, repeatable=repeatable))
        self.took(fire.id, action, repeatable=repeatable)
        return fire.id

    def took(self, fire_id: str, action: str, *, repeatable: bool) -> None:
        assert fire_id not in self.ever
        assert fire_id.rpartition("#")[2].rpartition(".")[2] == str(self.twin.n)
        self.ever.add(fire_id)
        self.twin.recorded(fire_id, action, "", repeatable=repeatable)

    @rule(action=ACTIONS)
    def race_to_record(self, action: str) -> None:
        ledgers = [self.ledger(0), self.ledger(1)]
        made = self.clients.race([partial(each.record, action) for each in ledgers])
        for fire in sorted(
            made, key=lambda fire: int(fire.id.rpartition("#")[2].rpartition(".")[2])
        ):
            self.took(fire.id, action, repeatable=False)

    @rule(client=CLIENTS, faults=FAULTS, fire=fires, outcome=OUTCOMES, repeat=st.booleans())
    def settle(
        self,
        client: int,
        faults: list[Fault],
        fire: str,
        outcome: Outcome,
        repeat: bool,  # noqa: FBT001
    ) -> None:
        token = new_token()
        for _ in range(1 + repeat):
            ledger = self.ledger(client, faults)
            told = self.clients.call(
                partial(ledger.settle, fire, outcome, by=f"c{client}", token=token)
            )
            expected = self.twin.settle(fire, receipt(token, f"c{client}", outcome))
            assert told.won == (expected == "won")
            self.same(fire)

    @rule(fire=fires, outcome=OUTCOMES)
    def race_to_settle(self, fire: str, outcome: Outcome) -> None:
        tokens = [new_token(), new_token()]
        works = [
            partial(self.ledger(index).settle, fire, outcome, by=f"c{index}", token=tokens[index])
            for index in (0, 1)
        ]
        told = self.clients.race(works)
        winners = [index for index in (0, 1) if told[index].won]
        for index in (*winners, *({0, 1} - set(winners))):
            expected = self.twin.settle(fire, receipt(tokens[index], f"c{index}", outcome))
            assert told[index].won == (expected == "won")
        assert told[0].settlement == told[1].settlement
        self.same(fire)

    @rule(client=CLIENTS, faults=FAULTS, fire=fires, outcome=OUTCOMES, behind=st.integers(0, 1))
    def settle_as_worker(
        self, client: int, faults: list[Fault], fire: str, outcome: Outcome, behind: int
    ) -> None:
        fence = self.twin.fires[fire].attempt - behind
        if fence < 1:
            return
        token = new_token()
        expected = self.twin.settle(fire, receipt(token, "w", outcome), fence=fence)
        ledger = self.ledger(client, faults)
        work = partial(ledger.settle, fire, outcome, by="w", token=token, fence=fence)
        if expected == "stale":
            with pytest.raises(StaleFence):
                self.clients.call(work)
        else:
            assert self.clients.call(work).won == (expected == "won")
        self.same(fire)

    @rule(
        client=CLIENTS, faults=FAULTS, fire=fires, status=st.sampled_from(["performed", "refused"])
    )
    def observe(self, client: int, faults: list[Fault], fire: str, status: str) -> None:
        token = new_token()
        outcome = performed() if status == "performed" else Outcome("refused")
        ledger = self.ledger(client, faults)
        told = self.clients.call(
            partial(ledger.observe, fire, source="bank", status=outcome.status, token=token)
        )
        expected = self.twin.settle(fire, receipt(token, "bank", outcome), kept_as="observed")
        assert told.won == (expected == "won")
        self.same(fire)

    @rule(client=CLIENTS, faults=FAULTS, fire=fires, again=st.booleans(), silent=st.booleans())
    def claim(
        self,
        client: int,
        faults: list[Fault],
        fire: str,
        again: bool,  # noqa: FBT001
        silent: bool,  # noqa: FBT001
    ) -> None:
        twin = self.twin.fires[fire]
        token = (
            twin.claim if again and twin.claim and twin.worker == f"w{client}" else new_token()[:8]
        )
        self.clients.lose(client, faults)
        answer = self.clients.call(
            partial(
                self.clients.brokers[client].claims.claim, Entry("q", 0, "", SESSION, fire),
                f"w{client}", lease_ms=0 if silent else 3_600_000, token=token,
            )
        )  # fmt: skip
        expected = self.twin.claim(fire, f"w{client}", token, silent=silent)
        told = "claimed" if isinstance(answer, Claim) else answer.reason
        assert told == expected
        if isinstance(answer, Claim):
            assert answer.attempt == twin.attempt
        self.same(fire)

    @rule(client=CLIENTS, faults=FAULTS, fire=fires, behind=st.integers(0, 1))
    def beat(self, client: int, faults: list[Fault], fire: str, behind: int) -> None:
        fence = self.twin.fires[fire].attempt - behind
        claim = Claim(Entry("q", 0, "", SESSION, fire), fence, "agent", 0, None, repeatable=False)
        self.clients.lose(client, faults)
        told = self.clients.call(
            partial(self.clients.brokers[client].claims.beat, claim, f"w{client}")
        )
        assert told == (fence > 0 and self.twin.beat(fire, fence))

    @rule(client=CLIENTS, faults=FAULTS, fire=fires)
    def note(self, client: int, faults: list[Fault], fire: str) -> None:
        token = new_token()
        ledger = self.ledger(client, faults)
        self.clients.call(partial(ledger.note, fire, {"late": True}, by="bank", token=token))
        self.twin.note(fire, "bank", token)
        self.same(fire)

    @rule(client=CLIENTS, fire=fires)
    def wait(self, client: int, fire: str) -> None:
        if self.twin.fires[fire].receipt is None:
            return
        ledger = self.ledger(client, ["reply"])
        settlement = self.clients.call(partial(ledger.when_settled, fire))
        stands = self.twin.fires[fire].receipt
        assert stands is not None
        assert (settlement.by, settlement.status) == (stands.by, stands.status)

    @rule(client=CLIENTS, action=ACTIONS, ahead=st.integers(0, 3))
    def ask_for_what_never_was(self, client: int, action: str, ahead: int) -> None:
        ledger = self.ledger(client)
        with pytest.raises(NeverExisted):
            self.clients.call(partial(ledger.when_settled, f"{action}#{self.twin.n + ahead}"))

    @rule()
    def cut(self) -> None:
        self.clients.cut()

    @rule()
    def begin_history(self) -> None:
        self.histories += 1
        self.clients.begin_history(f"history {self.histories}")

    @invariant()
    def the_same_fires_are_open(self) -> None:
        if not hasattr(self, "clients"):
            return
        for client in (0, 1):
            waiting = self.clients.call(self.ledger(client).awaiting)
            assert [fire.id for fire in waiting] == self.twin.awaiting()

    def same(self, fire_id: str) -> None:
        """Both clients see the fire as the twin does, its whole journal included."""
        twin = self.twin.fires[fire_id]
        for client in (0, 1):
            ledger = self.ledger(client)
            fire = self.clients.call(partial(ledger.fire, fire_id))
            assert fire.status == twin.status
            assert (fire.started.by if fire.started else None) == twin.worker
            assert (fire.started.attempt if fire.started else 0) == twin.attempt
            life = self.clients.call(partial(ledger.explain, fire_id))
            assert Counter((each.kind, each.by) for each in life.happenings) == story(twin)
            if twin.receipt is not None:
                assert life.settlement is not None
                assert life.settlement.by == twin.receipt.by
                assert life.settlement.envelope == twin.receipt.envelope


def receipt(token: str, by: str, outcome: Outcome) -> Receipt:
    return Receipt(token, by, outcome.status, dict(outcome.envelope))


def story(twin: TwinFire) -> Counter[tuple[str, str]]:
    told = Counter(twin.kept)
    told["recorded", "agent"] += 1
    if twin.worker is not None:
        told["started", twin.worker] += 1
    if twin.receipt is not None:
        told["settled", twin.receipt.by] += 1
    return told


@pytest.fixture(scope="module", params=BACKENDS)
def store(request: pytest.FixtureRequest) -> Iterator[BrokerSettings]:
    backend: Backend = request.param
    with server(backend) as url:
        if url is None:
            pytest.skip(f"no {backend} server here")
        yield BrokerSettings(url=url, durability=Durability.MEMORY)


def test_the_twin_and_the_store_never_differ(store: BrokerSettings) -> None:
    class OnThisStore(LedgerMachine):
        def __init__(self) -> None:
            super().__init__(store)

    run_state_machine_as_test(
        OnThisStore, settings=settings(max_examples=25, stateful_step_count=30, deadline=None)
    )
