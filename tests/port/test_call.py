"""Whatever an agent sends, a call answers at once with a structured result (call:never-waits)."""

import json
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onefate.port import PortOptions
from tests.guarantees import proves
from tests.port.clinic import Clinic

JUDGMENTS = {
    "error", "blocked", "rejected", "needs-confirm", "declined", "done", "needs-choice",
    "one-ready-step", "navigate-or-wait", "still-pending", "awaiting-human",
    "approved-not-yet-done", "approval-no-longer-valid", "approval-withdrawn",
}  # fmt: skip
OF_THE_APP = {"data", "holds", "input", "threshold", "expects", "later"}
TOOLS = (
    "whats_here", "why", "do_action", "did_it_work", "journey.visit", "journey.closed", "journey",
    "leave-journey", "",
)  # fmt: skip
NAMES = (
    "desk.note", "note", "call", "pay", "once", "go", "stop", "pick", "late", "open", "quit",
    "ward.note", "rows.open", "desk", "visit", "closed", "ward", "x", "paid", "ask#1", "desk.pay#1",
    "desk.note#1", "stimulus:structure-swap#0", "refusal#1", "grant#2", "#", "",
)  # fmt: skip
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(NAMES)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4) | st.sampled_from(("who", "ok")), inner, max_size=4)
    ),
    max_leaves=12,
)
ARGUMENTS = (
    st.fixed_dictionaries(
        {},
        optional={
            "action": st.sampled_from(NAMES) | VALUES,
            "step": st.sampled_from(NAMES) | VALUES,
            "journey": st.sampled_from(NAMES) | VALUES,
            "key": st.sampled_from(NAMES) | VALUES,
            "transitionId": st.sampled_from(NAMES) | VALUES,
            "routeTo": st.sampled_from(NAMES) | VALUES,
            "sinceVersion": VALUES,
            "input": VALUES | st.just({"who": "Ann"}),
            "instance": VALUES,
            "confirm": st.booleans() | VALUES,
            "decline": st.booleans() | VALUES,
            "offerId": st.just("offer#1") | VALUES,
            "acknowledgementId": st.just("ack#1") | VALUES,
        },
    )
    | VALUES
)
CALLS = st.lists(st.tuples(st.sampled_from(TOOLS) | st.text(max_size=5), ARGUMENTS), max_size=12)
PORTS = st.builds(
    PortOptions,
    confirm_high_effect=st.booleans(),
    source=st.sampled_from(("agent", "user")),
    journey_tools=st.sampled_from(("single", "per-journey")),
)


def nulls(answer: object) -> list[str]:
    """Where an answer says null, outside of what is the app's own."""
    if isinstance(answer, dict):
        members = cast("dict[str, object]", answer)
        return [
            key
            for key, value in members.items()
            if key not in OF_THE_APP and (value is None or nulls(value))
        ]
    if isinstance(answer, list):
        return [found for item in cast("list[object]", answer) for found in nulls(item)]
    return []


@proves("call:never-waits", "answer:absent-not-filled")
@given(calls=CALLS, port=PORTS, enforced=st.booleans())
def test_every_call_is_answered_in_the_words_of_the_port(
    calls: list[tuple[str, object]], port: PortOptions, *, enforced: bool
) -> None:
    clinic = Clinic(port, requireHumanApproval=enforced)
    for tool, arguments in calls:
        answer = clinic.call(tool, arguments)
        json.dumps(answer, allow_nan=False)
        assert isinstance(answer["ok"], bool)
        assert answer.get("judgment", "done") in JUDGMENTS
        assert nulls(answer) == []
        assert answer.get("performed", False) is False
        assert ("transitionId" in answer) == (len(clinic.decided.fires) == 1)
        if answer.get("reason") != "UNKNOWN_TOOL":
            assert "youAreOn" in answer
            assert "version" in answer


@proves("call:never-waits")
@given(calls=CALLS, enforced=st.booleans())
def test_a_no_never_fires_anything(calls: list[tuple[str, object]], *, enforced: bool) -> None:
    clinic = Clinic(requireHumanApproval=enforced)
    for tool, arguments in calls:
        named = cast("dict[str, object]", arguments) if isinstance(arguments, dict) else {}
        sent = {**named, "decline": True}
        assert "transitionId" not in clinic.call(tool, sent)
        assert clinic.decided.fires == []


def deep(levels: int) -> object:
    value: object = "end"
    for _ in range(levels):
        value = [value]
    return value


@proves("call:never-waits")
@pytest.mark.parametrize(
    "sent",
    [deep(100_000), float("nan"), float("inf"), 10**5000, {1: "one"}, {"who": b"bytes"}, object()],
    ids=["deep", "nan", "infinite", "huge", "key", "bytes", "object"],
)
def test_an_input_that_json_cannot_keep_is_refused_and_fires_nothing(sent: object) -> None:
    clinic = Clinic()
    for tool, named in (("do_action", {"action": "note"}), ("journey.visit", {"step": "note"})):
        answer = clinic.call(tool, {**named, "input": sent})
        assert (answer["reason"], answer["ok"]) == ("INPUT_UNREADABLE", False)
        assert clinic.decided.fires == []


@proves("call:never-waits")
@pytest.mark.parametrize("size", [1_000, 1_000_000])
def test_a_large_input_is_taken_whole_and_shown_cut(size: int) -> None:
    clinic = Clinic()
    answer = clinic.call("do_action", {"action": "call", "input": {"who": "a" * size}})
    assert answer["ok"] is True
    assert clinic.decided.fires[0].payload == {"who": "a" * size}


@proves("call:never-waits")
@pytest.mark.parametrize("text", ["\ud800", "a" * 100_000, "\x00", "#", "desk.note#" + "9" * 5_000])
def test_any_text_may_stand_for_a_name(text: str) -> None:
    clinic = Clinic()
    for tool in ("whats_here", "why", "do_action", "did_it_work", "journey.visit", text):
        for key in ("action", "step", "key", "transitionId", "routeTo", "instance"):
            answer = clinic.call(tool, {key: text})
            assert json.loads(json.dumps(answer)) == answer
