import anyio
import pytest

from onefate.broker import Broker, performed
from onefate.broker.errors import Forgotten, ImpossibleId, NeverExisted, WasStimulus
from onefate.broker.ledger.errors import ServerRefused
from onefate.broker.ledger.faults import BadName
from onefate.broker.ledger.ids import TAGS, FireId, Number, new_token, partition_of
from onefate.broker.ledger.process import HERE
from tests.guarantees import proves
from tests.ledger.sessions import over_a_map, rows

pytestmark = proves("id:impossible-raises")


@pytest.mark.parametrize("never", ["", "pay", "pay#", "#1", "pay#x", "pay#01", "pay#-1", "pay#1"])
async def test_an_id_that_never_was_raises_at_every_door(broker: Broker, never: str) -> None:
    ledger = broker.ledger("s")
    await ledger.record("pay")
    doors = (
        ledger.settlement_if_known, ledger.when_settled, ledger.fire, ledger.explain,
    )  # fmt: skip
    for door in doors:
        with pytest.raises(NeverExisted):
            await door(never)
    with pytest.raises(NeverExisted):
        await ledger.settle(never, performed(), by="w")
    with pytest.raises(NeverExisted):
        await ledger.observe(never, source="w", status="performed")
    with pytest.raises(NeverExisted):
        await ledger.note(never, {}, by="w")


async def test_another_actions_number_is_not_its_id(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    with pytest.raises(NeverExisted):
        await ledger.when_settled("refund#0")
    with pytest.raises(NeverExisted):
        await ledger.settle("refund#0", performed(), by="w")
    await ledger.settle(fire.id, performed(), by="w")
    for door in (ledger.when_settled, ledger.fire, ledger.explain):
        with pytest.raises(NeverExisted):
            await door("refund#0")


async def test_a_fire_whose_retention_is_over_is_forgotten(broker: Broker) -> None:
    ledger = broker.ledger("s")
    fire = await ledger.record("pay")
    await ledger.settle(fire.id, performed(), by="w")
    keys = broker.keys("s")
    await broker.link.execute(
        "DEL", keys.fire("0"), keys.settlement("0"), keys.journal("0"), keys.payload("0")
    )
    for door in (ledger.when_settled, ledger.settlement_if_known, ledger.fire, ledger.explain):
        with pytest.raises(Forgotten):
            await door(fire.id)
    with pytest.raises(Forgotten):
        await ledger.settle(fire.id, performed(), by="w")


async def test_a_row_nobody_fired_is_a_stimulus(broker: Broker) -> None:
    session = over_a_map(broker, "m")
    await session.commit(rows(counter=1))
    with pytest.raises(WasStimulus):
        await broker.ledger("m").when_settled("stimulus:click#0")
    with pytest.raises(NeverExisted):
        await broker.ledger("m").when_settled("stimulus:click#1")


async def test_a_number_expected_here_is_still_no_other_actions(broker: Broker) -> None:
    ledger = broker.ledger("s")
    warm = await ledger.record("pay")
    await ledger.settle(warm.id, performed(), by="w")
    await ledger.when_settled(warm.id)
    fire = await ledger.record("pay")
    with anyio.fail_after(5):
        with pytest.raises(NeverExisted):
            await ledger.when_settled("refund#1")
        with pytest.raises(NeverExisted):
            await ledger.when_settled("pay#2")
        won = await ledger.settle(fire.id, performed(), by="w")
        with pytest.raises(NeverExisted):
            await ledger.when_settled("refund#1")
        assert await ledger.when_settled(fire.id) == won.settlement


@pytest.mark.parametrize("bad", ["", "two words", "line\nbreak", "x" * 200, "\ud800", "a\x00b"])
async def test_a_name_that_cannot_be_a_key_is_refused(broker: Broker, bad: str) -> None:
    with pytest.raises(BadName):
        broker.ledger(bad)
    with pytest.raises(BadName):
        await broker.ledger("s").record(bad)
    with pytest.raises(BadName):
        await broker.ledger("s").record("pay", principal=bad or " ")


@proves("id:never-reused")
def test_ids_sort_and_read_back_as_they_were_made() -> None:
    ids = ["a#0", "a.b#17", "a#b#3", "a#2.0", "a#10.5"]
    assert [str(FireId.parse(each)) for each in ids] == ids
    assert Number(1, 0).order > Number(0, 2**31).order


@proves("store:declared")
def test_partitions_are_spread_evenly_and_found_the_same_everywhere() -> None:
    assert TAGS[:6] == ("10", "18", "113", "342", "29", "21")
    assert len(set(TAGS)) == 64
    spread = {partition_of(f"session-{index}") for index in range(2000)}
    assert spread == set(range(64))
    assert partition_of("s") == partition_of("s")
    assert issubclass(NeverExisted, ImpossibleId)
    assert not issubclass(ServerRefused, ImpossibleId)


def test_no_two_writers_share_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    parents = [new_token() for _ in range(100)]
    monkeypatch.setattr(HERE, "id", -1)
    childs = [new_token() for _ in range(100)]
    assert len({*parents, *childs}) == len(parents) + len(childs)
    words = [{token.partition("-")[2] for token in tokens} for tokens in (parents, childs)]
    assert len(words[0]) == len(words[1]) == 1
    assert words[0] != words[1]
