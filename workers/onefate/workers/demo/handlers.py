"""What the clinic's app does when an action is performed: a small practice system, in memory.

Each handler reports what it changed, as its own fire. Plain functions run in threads.
"""

from collections.abc import Mapping
from typing import Final, cast

from onefate.broker.performing import Handler, current, report, report_from_thread

FEWEST_DIGITS: Final = 6
PATIENTS: Final = {"ada holm": "P-118"}


def _of(payload: object, key: str) -> object:
    return cast("Mapping[str, object]", payload)[key]


async def find_patient(payload: object) -> object:
    """Open the record of a patient that is known."""
    query = str(_of(payload, "query"))
    number = PATIENTS.get(query.casefold(), query)
    await report({"patient.id": number, "visit.day": "another day"})
    return {"patient": number}


async def read_waiting_list(_: object) -> object:
    """Read who is waiting."""
    return {"waiting": [{"patient": "P-104", "since": "8:50"}]}


def change_phone(payload: object) -> object:
    """Say no to a number that cannot be one."""
    phone = str(_of(payload, "phone"))
    if sum(map(str.isdigit, phone)) < FEWEST_DIGITS:
        return {"ok": False, "error": "a telephone number has at least six digits"}
    report_from_thread({"patient.phone": phone})
    return None


async def send_reminder(_: object) -> object:
    """Hand a message to the operator, once per fire however often it is tried."""
    return {"message": current().fire_id}


async def ask_insurer(_: object) -> None:
    """Send the question; the insurer's own report will say how it came out."""


async def check_in(_: object) -> None:
    """Check the patient in."""
    await report({"visit.checked-in": True})


async def move(_: object) -> None:
    """Go to another page: there is nothing else to do."""


async def pick_slot(payload: object) -> None:
    """Keep the time for a while."""
    await report({"visit.slot": _of(payload, "slot")})


async def read_free_times(_: object) -> object:
    """Read the calendar."""
    return {"free": ["Tuesday 9:40", "Tuesday 11:20", "Thursday 8:00"]}


async def reserve(_: object) -> object:
    """Reserve the time that was picked."""
    await report({"visit.reference": "V-2031"})
    return {"reference": "V-2031"}


async def cancel_visit(_: object) -> None:
    """Give the time back."""
    await report({"visit.reference": None, "visit.slot": None})


async def charge_deposit(payload: object) -> object:
    """Charge the card, with the fire's id as the payment's idempotency key."""
    await report({"deposit.status": "paid"})
    return {"charged": _of(payload, "amount"), "key": current().fire_id}


async def refund_deposit(_: object) -> None:
    """Give the money back."""
    await report({"deposit.status": "refunded"})


def print_receipt(_: object) -> object:
    """Print."""
    return {"printed": True, "amount": 40}


HANDLERS: Final[Mapping[str, Handler]] = {
    "desk.find-patient": find_patient,
    "desk.read-waiting-list": read_waiting_list,
    "patient.details.change-phone": change_phone,
    "patient.details.send-reminder": send_reminder,
    "patient.cover.ask-insurer": ask_insurer,
    "patient.check-in": check_in,
    "patient.book-visit": move,
    "patient.open-billing": move,
    "booking.calendar.pick-slot": pick_slot,
    "booking.calendar.read-free-times": read_free_times,
    "booking.cancelling.cancel-visit": cancel_visit,
    "booking.cancelling.keep-visit": move,
    "booking.reserve": reserve,
    "billing.charge-deposit": charge_deposit,
    "billing.refund-deposit": refund_deposit,
    "billing.print-receipt": print_receipt,
    "go-to-desk": move,
}
