"""Whatever an agent sends to a session on a server is answered; nobody reads another's session."""

import json
import secrets
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import Final

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onefate.broker import BrokerSettings, Durability, open_broker
from onefate.broker.door import Session, open_session
from onefate.broker.errors import ImpossibleId
from onefate.broker.ledger.faults import NotJson, TooLarge
from onefate.broker.session.attempt import FireOptions
from onefate.port import PortOptions, ServedPort
from tests.door.world import OPTIONS, SHOP
from tests.guarantees import proves
from tests.servers import embedded_server

pytestmark = proves("call:never-waits", "id:impossible-raises", "answer:one-truth")

LIMIT: Final = 4096
SECRET: Final = "cobalt-otter"
TOOLS: Final = (
    "whats_here",
    "why",
    "do_action",
    "did_it_work",
    "journey.sell",
    "journey",
    "nothing",
)
TEXTS: Final = (
    "till.refund", "refund", "till.look", "look", "count", "sell", "weigh", "stock", "counted", "",
    "#", "##", "ask#1", "ask#99", "grant#1", "refusal#1", "work#0", "offer#1", "till.look#1",
    "till.look#01", "till.look#\uff11", "till.look#1.1", "till.look#-1", "till.look#1 ", "#1",
    "till.look#" + "9" * 400, "stimulus:structure-swap#0", "sync:stock#1", "\ud800",
    "till.look#\ud800", "\x00", "\r\nFLUSHALL\r\n", "a" * 300, "a" * (LIMIT + 1), "..", "__class__",
)  # fmt: skip
"""Names of this session and of the other one, and texts that are neither."""


def nested(levels: int) -> object:
    value: object = "end"
    for _ in range(levels):
        value = {"in": [value]}
    return value


SCALARS = (
    st.sampled_from(TEXTS)
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from((10**400, 1e308, float("nan"), "é" * LIMIT))
)
VALUES = (
    st.recursive(
        SCALARS,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=6,
    )
    | st.builds(nested, st.sampled_from((30, 31, 33, 5_000)))
    | st.sampled_from((["x"] * LIMIT, {"k" * LIMIT: 1}))
)
KEYS: Final = (
    "action", "step", "journey", "key", "transitionId", "routeTo", "sinceVersion", "instance",
    "offerId", "acknowledgementId",
)  # fmt: skip
ARGUMENTS = (
    st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(KEYS, st.sampled_from(TEXTS) | VALUES),
            "input": VALUES,
            "confirm": st.booleans() | VALUES,
            "decline": st.booleans() | VALUES,
        },
    )
    | VALUES
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with embedded_server() as server:
        yield server.url


@asynccontextmanager
async def two_sessions(url: str) -> AsyncGenerator[tuple[Session, Session]]:
    """A session to be asked, and one beside it in the same partition's store, full of secrets."""
    settings = BrokerSettings(url=url, durability=Durability.MEMORY, max_payload_bytes=LIMIT)
    private = {**OPTIONS, "state": {"counted": SECRET, SECRET: 1}}
    name = secrets.token_hex(4)
    async with (
        open_broker(settings) as broker,
        open_session(broker, name, SHOP, OPTIONS) as asked,
        open_session(broker, f"{SECRET}-{name}", SHOP, private) as beside,
    ):
        for session in (asked, beside):
            await session.wire("app", list(SHOP.actions), queue="nobody")
        yield asked, beside


async def fill(session: Session) -> list[str]:
    """Leave fires, cards, rows of work and refusals with secrets in them; give their ids."""
    port = ServedPort(session)
    said = {"input": {"note": SECRET}}
    ids: list[str] = []
    for action, key in (("look", "transitionId"), ("count", "transitionId"), ("refund", "askId")):
        answer = await port.call("shop.do_action", {"action": action, **said})
        ids.append(str(answer[key]))
    await session.observe_effect(ids[0], {"source": SECRET, "status": "performed"})
    ids.append(str((await session.begin_work(SECRET))["workId"]))
    await session.report_gap({"wanted": SECRET})
    return ids


async def is_answered(port: ServedPort, tool: str, arguments: object) -> dict[str, object]:
    with anyio.fail_after(10):
        answer = await port.call(f"shop.{tool}", arguments)
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    assert isinstance(answer["ok"], bool)
    assert SECRET not in json.dumps(answer)
    return answer


@settings(max_examples=15)
@given(
    calls=st.lists(st.tuples(st.sampled_from(TOOLS), ARGUMENTS), min_size=25, max_size=25),
    single=st.booleans(),
)
def test_every_call_on_a_server_is_answered(
    url: str, calls: list[tuple[str, object]], *, single: bool
) -> None:
    async def play() -> None:
        async with two_sessions(url) as (asked, beside):
            await fill(beside)
            port = ServedPort(
                asked, PortOptions(journey_tools="single" if single else "per-journey")
            )
            for tool, arguments in calls:
                await is_answered(port, tool, arguments)

    anyio.run(play)


async def test_no_text_at_all_is_more_than_a_text(url: str) -> None:
    async with two_sessions(url) as (asked, beside):
        theirs = await fill(beside)
        port = ServedPort(asked)
        for text in (*TEXTS, *theirs):
            for tool in TOOLS:
                for key in KEYS:
                    await is_answered(port, tool, {key: text, "input": text})
            for action in ("look", "count", "refund"):
                for key in ("instance", "offerId", "acknowledgementId", "input"):
                    for flag in ({}, {"confirm": True}, {"decline": True}):
                        sent = {"action": action, key: text, **flag}
                        await is_answered(port, "do_action", sent)


async def test_an_id_of_nothing_raises_at_once_at_both_doors(url: str) -> None:
    async with two_sessions(url) as (asked, beside):
        theirs = await fill(beside)
        port = ServedPort(asked)
        for text in (*TEXTS, *theirs):
            for door in (port.settled_answer, port.when_settled):
                with anyio.fail_after(5), pytest.raises(ImpossibleId) as refused:
                    await door(text)
                assert refused.value.code != "IMPOSSIBLE_ID"
                assert refused.value.fire_id == text
                assert str(refused.value)


@settings(max_examples=10)
@given(asked=st.lists(st.text(max_size=20) | st.from_regex(r"[a-z.]+#\d+"), max_size=20))
def test_any_text_raises_at_once_at_both_doors(url: str, asked: list[str]) -> None:
    async def ask() -> None:
        async with two_sessions(url) as (session, beside):
            await fill(beside)
            port = ServedPort(session)
            for text in asked:
                for door in (port.settled_answer, port.when_settled):
                    with anyio.fail_after(5), pytest.raises(ImpossibleId):
                        await door(text)

    anyio.run(ask)


@pytest.mark.parametrize("action", ["look", "refund"])
@pytest.mark.parametrize("extra", [0, 1])
async def test_an_input_is_taken_up_to_the_limit_and_not_a_byte_beyond(
    url: str, action: str, extra: int
) -> None:
    async with two_sessions(url) as (asked, _):
        port = ServedPort(asked)
        before = await asked.transitions(), await asked.asks(), await asked.version()
        named = len(json.dumps(action))
        note = "x" * (LIMIT - named - len('{"note":""}') + extra)
        answer = await is_answered(port, "do_action", {"action": action, "input": {"note": note}})
        if not extra:
            assert answer.get("transitionId") or answer.get("askId")
            return
        assert (answer["reason"], answer["limit"]) == ("INPUT_TOO_LARGE", LIMIT)
        assert (await asked.transitions(), await asked.asks(), await asked.version()) == before


async def test_the_apps_own_fire_is_refused_by_name(url: str) -> None:
    async with two_sessions(url) as (asked, _):
        before, version = await asked.transitions(), await asked.version()
        for payload, error in (
            ("x" * LIMIT, TooLarge),
            (nested(5_000), NotJson),
            (float("nan"), NotJson),
            ({1, 2}, NotJson),
        ):
            with pytest.raises(error):
                await asked.fire("till.look", FireOptions(payload=payload))
        assert (await asked.transitions(), await asked.version()) == (before, version)


async def test_two_sessions_that_are_asked_at_once_are_told_of_themselves_alone(url: str) -> None:
    async with two_sessions(url) as (asked, beside):
        ids = await fill(beside)
        mine, theirs = ServedPort(asked), ServedPort(beside)

        async def ask(port: ServedPort, heard: list[str]) -> None:
            for name in (*ids, "x"):
                told = await port.call("shop.did_it_work", {"transitionId": name})
                looked = await port.call("shop.whats_here")
                heard.append(json.dumps([told, looked]))

        of_mine, of_theirs = list[str](), list[str]()
        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(ask, mine, of_mine)
                group.start_soon(ask, theirs, of_theirs)
        assert not [line for line in of_mine if SECRET in line]
        assert [line for line in of_theirs if SECRET in line]
