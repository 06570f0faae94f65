"""Every answer of the recorded conversations has one of the declared shapes, key by key."""

from pathlib import Path
from typing import get_args

from onefate.port import answers
from tests.conformance import core
from tests.conformance.player import play
from tests.conformance.scenario import Json, files, read, table
from tests.guarantees import proves

SCENARIOS = Path(__file__).parents[1] / "conformance" / "scenarios"
BY_JUDGMENT: dict[Json, type] = {
    "error": answers.Failed,
    "blocked": answers.Blocked,
    "rejected": answers.Rejected,
    "needs-confirm": answers.NeedsConfirm,
    "declined": answers.Declined,
    "still-pending": answers.StillPending,
}


def shape_of(answer: dict[str, Json]) -> type:
    """Which shape an answer has, told as the module says."""
    marks = {
        answers.UnknownTool: answer.get("reason") == "UNKNOWN_TOOL",
        answers.CardTold: "performed" in answer and "settled" in answer,
        answers.Settled: answer.get("settled") is True,
        answers.Fired: "transitionId" in answer,
        BY_JUDGMENT.get(answer.get("judgment"), object): answer.get("judgment") in BY_JUDGMENT,
        answers.FrameShown: "judgment" in answer,
        answers.Caused: "key" in answer,
        answers.Looked: True,
    }
    return next(shape for shape, fits in marks.items() if fits)


@proves("answer:absent-not-filled")
async def test_every_recorded_answer_has_a_declared_shape() -> None:
    met: set[type] = set()
    for path in files([SCENARIOS]):
        outcome = await play(read(path), core.opened)
        for step, answer in zip(outcome.scenario.steps, outcome.answers, strict=False):
            if step["op"] != "call" or "skipped" in table(answer):
                continue
            shape = shape_of(table(answer))
            met.add(shape)
            required: frozenset[str] = getattr(shape, "__required_keys__", frozenset())
            optional: frozenset[str] = getattr(shape, "__optional_keys__", frozenset())
            keys = table(answer).keys()
            place = f"{path.stem}: {shape.__name__}"
            assert required <= keys, f"{place} lacks {sorted(required - keys)}"
            unknown = sorted(keys - required - optional)
            assert unknown == [], f"{place} does not declare {unknown}"
    assert met == set(get_args(answers.Answer))
