"""The recorded conversation: what the agent asks, through which port, and what must come back.

Ports A and B take turns. Names of fires and cards stand for ids that the session mints.
"""

from typing import Final

from onefate.workers.demo.turns import (
    MISSING,
    Approved,
    Call,
    KilledWaiting,
    Reported,
    Restarted,
    StillOpen,
    Turn,
    Wait,
)

SESSION: Final = "front-desk-1"
QUEUE: Final = "front-desk"
PORTS: Final = ("A", "B")
WORKERS: Final = ("one", "two")
OPTIONS: Final[dict[str, object]] = {
    "state": {
        "patient.id": None,
        "patient.phone": None,
        "cover.status": None,
        "visit.day": None,
        "visit.slot": None,
        "visit.reference": None,
        "visit.checked-in": False,
        "deposit.status": None,
    },
    "requireHumanApproval": True,
}

PERFORMED: Final = {"effectStatus": "performed", "outcome": "committed"}
PENDING: Final = {"ok": True, "effectStatus": "pending"}

CONVERSATION: Final[tuple[Turn, ...]] = (
    Call(
        says="Where are we?",
        via="A",
        tool="whats_here",
        args={},
        expect={"ok": True, "youAreOn": "desk", "journeysElsewhere": 1},
    ),
    Call(
        says="A caller wants a visit: open the journey and look the patient up.",
        via="B",
        tool="journey.book-a-visit",
        args={"step": "find-patient", "input": {"query": "Ada Holm"}},
        expect=PENDING | {"did": "desk.find-patient", "settlement": "awaiting-state"},
        fire="find",
    ),
    Wait(
        says="Fired through B, waited for through A: a worker has done it and reported.",
        via="A",
        fire="find",
        expect=PERFORMED | {"effectVerified": True, "toNode": "patient"},
    ),
    Call(
        says="The caller gives a new number.",
        via="B",
        tool="do_action",
        args={"action": "change-phone", "input": {"phone": "12"}},
        expect=PENDING | {"did": "patient.details.change-phone"},
        fire="phone",
    ),
    Wait(
        says="The handler says no, and that is an answer too.",
        via="A",
        fire="phone",
        expect={
            "effectStatus": "refused",
            "outcome": "rejected",
            "error": "a telephone number has at least six digits",
            "effectVerified": MISSING,
        },
    ),
    Call(
        says="Ask the insurer; the answer will come from outside, some day.",
        via="B",
        tool="do_action",
        args={"action": "ask-insurer"},
        expect=PENDING | {"did": "patient.cover.ask-insurer"},
        fire="insurer",
    ),
    KilledWaiting(
        says="Port A waits for it, and is killed with -9 in mid-wait.",
        port="A",
        fire="insurer",
    ),
    StillOpen(says="Port B is asked instead: still in flight.", via="B", fire="insurer"),
    Reported(
        says="The insurer's webhook reports.",
        fire="insurer",
        source="insurer",
        status="performed",
        evidence="letter-88120",
    ),
    Wait(
        says="Port B answers the question that A took with it.",
        via="B",
        fire="insurer",
        expect=PERFORMED
        | {
            "effectVerified": "unobservable",
            "settledBy": "external-report",
            "reportedBy": "insurer",
            "evidenceOnRecord": True,
        },
    ),
    Restarted(says="A new process takes A's place.", port="A"),
    Call(
        says="Go and book.",
        via="A",
        tool="journey.book-a-visit",
        args={"step": "book-visit"},
        expect=PENDING | {"did": "patient.book-visit", "youAreOn": "booking"},
        fire="go-booking",
    ),
    Wait(
        says="Moving about settles like everything else.",
        via="B",
        fire="go-booking",
        expect=PERFORMED | {"arrival": "claimed", "toNode": "booking"},
    ),
    Call(
        says="The caller can come on Tuesday.",
        via="A",
        tool="journey.book-a-visit",
        args={"step": "pick-slot", "input": {"slot": "Tuesday 9:40"}},
        expect=PENDING | {"did": "booking.calendar.pick-slot"},
        fire="slot",
    ),
    Wait(
        says="Picked.",
        via="B",
        fire="slot",
        expect=PERFORMED | {"effectVerified": True},
    ),
    Call(
        says="Reserve it.",
        via="A",
        tool="journey.book-a-visit",
        args={"step": "reserve"},
        expect=PENDING | {"did": "booking.reserve"},
        fire="reserve",
    ),
    Wait(
        says="Reserved.",
        via="B",
        fire="reserve",
        expect=PERFORMED | {"effectVerified": True, "toNode": "patient"},
    ),
    Call(
        says="Now the deposit.",
        via="A",
        tool="journey.take-the-deposit",
        args={"step": "open-billing"},
        expect=PENDING | {"did": "patient.open-billing", "youAreOn": "billing"},
        fire="go-billing",
    ),
    Wait(says="The account is open.", via="B", fire="go-billing", expect=PERFORMED),
    Call(
        says="Charging a card is not the agent's to decide: a card for a person.",
        via="A",
        tool="journey.take-the-deposit",
        args={"step": "charge-deposit", "input": {"amount": 40}},
        expect={
            "ok": False,
            "judgment": "needs-confirm",
            "performed": False,
            "transitionId": MISSING,
        },
        card="deposit",
    ),
    Call(
        says="Trying anyway does not help.",
        via="B",
        tool="do_action",
        args={"action": "charge-deposit", "input": {"amount": 40}, "confirm": True},
        expect={
            "ok": False,
            "judgment": "needs-confirm",
            "reason": "APPROVAL_REQUIRED",
            "transitionId": MISSING,
        },
    ),
    Approved(says="A person says yes to exactly this.", card="deposit", by="Ines, front desk"),
    Call(
        says="Approved: perform it, once.",
        via="A",
        tool="do_action",
        args={"action": "charge-deposit", "input": {"amount": 40}, "confirm": True},
        expect=PENDING | {"did": "billing.charge-deposit"},
        fire="charge",
    ),
    Wait(
        says="Charged, reported, and the map's own condition holds.",
        via="B",
        fire="charge",
        expect=PERFORMED | {"effectVerified": True, "verifyHeld": True},
    ),
    Call(
        says="The same yes does not work twice.",
        via="A",
        tool="do_action",
        args={"action": "charge-deposit", "input": {"amount": 40}, "confirm": True},
        expect={"ok": False, "reason": "APPROVAL_SPENT", "transitionId": MISSING},
    ),
    Call(
        says="The receipt, please.",
        via="B",
        tool="journey.take-the-deposit",
        args={"step": "print-receipt"},
        expect=PENDING | {"did": "billing.print-receipt"},
        fire="receipt",
    ),
    Wait(
        says="Here it is.",
        via="A",
        fire="receipt",
        expect=PERFORMED | {"data": {"printed": True, "amount": 40}},
    ),
    Call(
        says="Why is the deposit paid?",
        via="B",
        tool="why",
        args={"key": "deposit.status"},
        expect={"ok": True, "key": "deposit.status"},
    ),
)
