"""How a conversation is played: what is not as recorded is a fault, and never a success."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from onefate.workers.demo import play as playing
from onefate.workers.demo.compare import compare
from onefate.workers.demo.errors import MemberFailed, TurnTimedOut
from onefate.workers.demo.play import Played, play
from onefate.workers.demo.screen import Screen, brief
from onefate.workers.demo.turns import (
    Approved,
    Call,
    KilledWaiting,
    Reported,
    Restarted,
    StillOpen,
    Turn,
    Wait,
)
from tests.guarantees import proves
from tests.workers.demo_world import SETTLED, paper_stage
from tests.workers.lines_world import Json

pytestmark = proves("answer:one-truth", "settle:no-clock")

FIRED: dict[str, Json] = {
    "do": {"ok": True, "transitionId": "a#1", "askId": "ask#1"},
    "did_it_work": {"ok": True},
}
FIRE = Call(says="Fire.", via="A", tool="do", args={}, expect={"ok": True}, fire="it")
ASK = Call(says="Ask.", via="A", tool="do", args={}, expect={}, card="card")
WAIT = Wait(says="Wait.", via="B", fire="it", expect={"effectStatus": "performed"})


def unheard(played: Played) -> None:
    del played


async def faults(
    where: Path, turns: Sequence[Turn], **fates: dict[str, object] | None
) -> list[str]:
    async with paper_stage(where, FIRED, **fates) as stage:
        return list((await play(turns, stage, stage, unheard)).faults)


async def test_what_is_as_recorded_has_no_fault(tmp_path: Path) -> None:
    turns: list[Turn] = [
        FIRE, WAIT, ASK,
        Reported(says="Say.", fire="it", source="s", status="performed", evidence="e"),
        Approved(says="Yes.", card="card", by="me"),
        Restarted(says="Again.", port="A"),
    ]  # fmt: skip
    assert await faults(tmp_path, turns, A=SETTLED, B=SETTLED) == []


async def test_a_fire_that_was_not_recorded_is_a_fault(tmp_path: Path) -> None:
    async with paper_stage(tmp_path, {"do": {"ok": True}}, A=None) as stage:
        transcript = await play([FIRE], stage, stage, unheard)
    assert transcript.faults == ["Fire. transitionId is absent"]


async def test_another_fate_than_recorded_is_a_fault(tmp_path: Path) -> None:
    told: Json = {"effectStatus": "refused", "outcome": "rejected"}
    assert await faults(tmp_path, [FIRE, WAIT], A=told, B=told) == [
        "Wait. effectStatus is 'refused', not 'performed'"
    ]


async def test_a_fate_where_none_should_be_is_a_fault(tmp_path: Path) -> None:
    early = StillOpen(says="Open?", via="B", fire="it")
    found = await faults(tmp_path, [FIRE, early], A=None, B=SETTLED)
    assert len(found) == 1
    assert found[0].startswith("Open? the answer is ")


async def test_a_killed_port_that_answers_is_a_fault(tmp_path: Path) -> None:
    killed = KilledWaiting(says="Kill.", port="A", fire="it")
    assert await faults(tmp_path, [FIRE, killed], A=SETTLED) == [
        "Kill. the answer is [], not ['PORT_GONE']"
    ]


async def test_an_answer_that_does_not_come_ends_the_demo_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "PATIENCE_SECONDS", 0.05)
    async with paper_stage(tmp_path, FIRED, A=None, B=None) as stage:
        with pytest.raises(TurnTimedOut, match=r"no answer within 0\.05 s"):
            await play([FIRE, WAIT], stage, stage, unheard)


@pytest.mark.parametrize("same", [True, False])
async def test_ports_that_differ_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, same: bool
) -> None:
    other: Json = SETTLED if same else {"effectStatus": "refused"}
    async with paper_stage(tmp_path, FIRED, A=SETTLED, B=other) as stage:
        transcript = await play([FIRE, ASK], stage, stage, unheard)
        rows = await compare(transcript, stage, ("A", "B"))
    assert [row.equal for row in rows] == [True, same, True]
    Screen(plain=True).comparison(rows, ("A", "B"))
    assert ("NO" in capsys.readouterr().out) is not same


def test_the_screen_names_every_fault(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen(plain=True)
    screen.turn(Played(FIRE, {"ok": False}, ("ok is False, not True",)))
    screen.verdict(["Fire. ok is False, not True"], 1.0)
    shown = capsys.readouterr().out
    assert shown.startswith("no ")
    assert "not as recorded: Fire. ok is False, not True" in shown
    assert "one fate" not in shown


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (None, "-> in flight"),
        ([1], "-> [1]"),
        ({"ok": True}, "-> ok: true"),
        ({"did": "a", "data": "x" * 300}, f"-> did: a, data: {'x' * 200}..."),
        ({"key": "k", "why": "For k:\na wrote it", "youAreOn": "p"}, "-> why: For k: a wrote it"),
    ],
)
def test_an_answer_is_shown_in_one_line(answer: object, shown: str) -> None:
    assert brief(answer) == shown


def test_a_process_that_said_nothing_is_named() -> None:
    assert str(MemberFailed("port-1", "")).endswith("it said: nothing.")
