"""What an agent hears of a person's answers: the traces of port-settlement §23, 20 to 30, 39."""

from onefate.broker.session import approval, cards
from onefate.port import PortOptions, texts
from tests.conformance.scenario import Json, table
from tests.guarantees import proves
from tests.port.stage import failing, position, stage

pytestmark = proves("approve:spent-once")

CARD = ("performed", "does", "askId", "receipts", "howToAct")


async def test_20_a_no_without_enforcement_closes_the_card() -> None:
    async with stage() as app:
        asked = await app.do("pay")
        assert asked["judgment"] == "needs-confirm"
        assert asked["action"] == "a.pay"
        assert asked["performed"] is False
        assert asked["howToAct"] == texts.ASK_HOWTO
        assert "willUse" not in table(asked["receipts"])
        declined = await app.do("pay", decline=True)
        assert declined == {
            "ok": False,
            "judgment": "declined",
            "action": "a.pay",
            "askId": asked["askId"],
            **position(1),
        }
        assert (await app.did(asked["askId"]))["reason"] == "UNKNOWN_TRANSITION"


async def test_21_a_confirm_on_the_first_call_fires_without_enforcement() -> None:
    async with stage() as app:
        fired = await app.do("pay", confirm=True)
        assert fired["transitionId"] == "a.pay#1"
        journal = await app.driver.decide(lambda draft: draft.confirms.all())
        assert journal == []


async def test_22_a_card_leads_to_the_fire_it_let_pass() -> None:
    async with stage() as app:
        asked = await app.do("pay")
        fired = await app.do("pay", confirm=True)
        about_card = await app.did(asked["askId"])
        assert about_card["settled"] is True
        assert about_card == await app.did(fired["transitionId"])


async def test_23_an_unapproved_confirm_is_answered_with_the_card() -> None:
    async with stage(requireHumanApproval=True) as app:
        answer = await app.do("pay", confirm=True, input={"amt": 5})
        assert answer["judgment"] == "needs-confirm"
        assert answer["reason"] == "APPROVAL_REQUIRED"
        assert answer["did"] == "a.pay"
        assert answer["askId"] == "ask#2"
        assert "transitionId" not in answer
        assert all(key in answer for key in CARD)
        assert table(answer["receipts"])["willUse"] == {"input": {"amt": 5}}
        journal = await app.driver.decide(lambda draft: draft.confirms.all())
        assert [(row["kind"], row["askId"]) for row in journal] == [
            ("refused", "refusal#1"),
            ("ask", "ask#2"),
        ]


async def test_24_one_yes_is_good_for_one_fire() -> None:
    async with stage(requireHumanApproval=True) as app:
        asked = await app.do("pay")
        await app.approve(asked["askId"])
        assert await app.did(asked["askId"]) == {
            "ok": True,
            "settled": False,
            "performed": False,
            "judgment": "approved-not-yet-done",
            "askId": "ask#1",
            "did": "a.pay",
            "howToAct": texts.P_APPROVED,
            **position(1),
        }
        assert (await app.do("pay", confirm=True))["transitionId"] == "a.pay#1"
        replay = await app.do("pay", confirm=True)
        assert (replay["judgment"], replay["reason"]) == ("rejected", "APPROVAL_SPENT")
        assert replay["why"] == texts.APPROVAL_SPENT


async def test_24_a_yes_is_spent_even_if_the_handler_fails() -> None:
    async with stage({"a.pay": failing}, requireHumanApproval=True) as app:
        asked = await app.do("pay")
        await app.approve(asked["askId"])
        fired = await app.do("pay", confirm=True)
        assert (await app.did(fired["transitionId"]))["effectStatus"] == "refused"
        assert (await app.do("pay", confirm=True))["reason"] == "APPROVAL_SPENT"


async def test_25_a_yes_is_for_the_input_that_was_shown() -> None:
    async with stage(requireHumanApproval=True) as app:
        asked = await app.do("pay", input={"amt": 5})
        await app.approve(asked["askId"])
        other = await app.do("pay", input={"amt": 6}, confirm=True)
        assert other["reason"] == "APPROVAL_REQUIRED"
        assert other["askId"] != asked["askId"]
        assert (await app.do("pay", input={"amt": 5}, confirm=True))["ok"] is True


async def test_26_a_relayed_no_is_a_report_and_the_card_stays_open() -> None:
    async with stage(requireHumanApproval=True) as app:
        asked = await app.do("pay")
        declined = await app.do("pay", decline=True)
        assert declined["judgment"] == "declined"
        assert declined["recordedAs"] == "your-report"
        assert declined["why"] == texts.RELAYED_DECLINE
        assert (await app.did(asked["askId"]))["judgment"] == "awaiting-human"


async def test_27_a_persons_no_holds_until_somebody_asks_again() -> None:
    async with stage(requireHumanApproval=True) as app:
        asked = await app.do("pay")
        await app.person(approval.decline_ask, asked["askId"])
        assert (await app.did(asked["askId"]))["judgment"] == "declined"
        assert (await app.do("pay", confirm=True))["reason"] == "APPROVAL_DECLINED"
        again = await app.do("pay")
        assert again["judgment"] == "needs-confirm"
        assert again["askId"] != asked["askId"]


@proves("settle:no-clock")
async def test_28_an_approval_ages_and_a_card_does_not() -> None:
    async with stage(requireHumanApproval={"expiresAfterMs": 1000}) as app:
        asked = await app.do("pay")
        await app.driver.tick(10**9)
        assert (await app.did(asked["askId"]))["judgment"] == "awaiting-human"
        await app.approve(asked["askId"])
        await app.driver.tick(1001)
        assert (await app.did(asked["askId"]))["judgment"] == "approval-no-longer-valid"
        assert (await app.do("pay", confirm=True))["reason"] == "APPROVAL_STALE"


async def test_29_a_yes_can_be_withdrawn_before_it_is_used() -> None:
    async with stage(requireHumanApproval=True) as app:
        asked = await app.do("pay")
        await app.approve(asked["askId"])
        await app.person(approval.revoke_ask, asked["askId"])
        assert (await app.did(asked["askId"]))["judgment"] == "approval-withdrawn"
        assert (await app.do("pay", confirm=True))["reason"] == "APPROVAL_REVOKED"


async def test_30_nobody_is_asked_about_a_control_that_is_off() -> None:
    async with stage() as app:
        answer = await app.do("off")
        assert (answer["judgment"], answer["reason"]) == ("rejected", "TOOL_DISABLED")
        assert answer["retriable"] is True
        assert answer["why"] == f"{texts.DISABLED} {texts.DISABLED_EVIDENCE}"
        assert await app.driver.decide(approval.asks) == []


@proves("id:impossible-raises")
async def test_39_an_id_that_names_a_fire_and_a_card_is_answered_about_neither() -> None:
    async with stage() as app:
        fired = await app.do("ask")
        assert fired["transitionId"] == "ask#1"
        await app.do("pay")
        answer = await app.did("ask#1")
        assert answer == {
            "ok": False,
            "judgment": "error",
            "reason": "AMBIGUOUS_ID",
            "why": texts.AMBIGUOUS,
            "askId": "ask#1",
            "askedAbout": "a.pay",
            "did": "ask",
            **position(3),
        }


# Departures


async def test_a_no_answers_declined_where_no_card_would_be_shown() -> None:
    declined: dict[str, Json] = {"ok": False, "judgment": "declined", "action": "a.n"}
    async with stage() as app:
        assert await app.do("n", decline=True) == {**declined, **position(1)}
        assert await app.do("pay", decline=True, confirm=True) == {
            **declined,
            "action": "a.pay",
            **position(1),
        }
        assert (await app.do("off", decline=True))["judgment"] == "declined"
        step = await app.call("journey.j", step="w", decline=True)
        assert (step["judgment"], step["step"]) == ("declined", "a.w")
        assert (await app.do("nothing", decline=True))["reason"] == "UNKNOWN_ACTION"


async def test_a_no_with_a_confirm_closes_the_open_card_of_its_own_input() -> None:
    async with stage() as app:
        mine = await app.do("pay", input={"amt": 5})
        other = await app.do("pay", input={"amt": 6})
        declined = await app.do("pay", input={"amt": 5}, decline=True, confirm=True)
        assert declined["askId"] == mine["askId"]
        assert (await app.did(other["askId"]))["judgment"] == "awaiting-human"


async def test_nobody_is_asked_about_what_no_person_can_change() -> None:
    async with stage() as app:
        refused = await app.do("pay", input={"amt": "much"})
        assert (refused["judgment"], refused["reason"]) == ("rejected", "PAYLOAD_INVALID")
        await app.driver.unmount("app")
        await app.driver.flush()
        assert (await app.do("pay"))["reason"] == "NOT_MATERIALIZED"
        assert await app.driver.decide(approval.asks) == []


async def test_a_person_who_acts_closes_the_card_they_were_asked_by() -> None:
    async with stage(requireHumanApproval=True) as app:
        asked = await app.do("pay")
        app.port = PortOptions(source="user")
        fired = await app.do("pay", confirm=True)
        assert (await app.did(asked["askId"])) == await app.did(fired["transitionId"])


async def test_no_more_questions_wait_than_a_person_can_read() -> None:
    async with stage(requireHumanApproval=True) as app:
        for amount in range(cards.MOST_OPEN):
            await app.do("pay", input={"amt": amount})
        last = f"ask#{cards.MOST_OPEN}"
        full = await app.do("pay", input={"amt": -1})
        assert (full["judgment"], full["reason"]) == ("rejected", "TOO_MANY_CARDS")
        confirmed = await app.do("pay", input={"amt": -1}, confirm=True)
        assert confirmed["reason"] == "TOO_MANY_CARDS"
        assert (await app.do("pay", input={"amt": cards.MOST_OPEN - 1}))["askId"] == last
        await app.driver.decide(lambda draft: approval.decline_ask(draft, last, by="Kim"))
        assert (await app.do("pay", input={"amt": -1}))["judgment"] == "needs-confirm"
