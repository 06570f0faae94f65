"""How every call that was not understood, or could not be taken, begins to say so."""

from onefate.broker.session.state import Wire


def failed(reason: str) -> Wire:
    """Give the start of an error's answer; `reason` is the word for programs."""
    return {"ok": False, "judgment": "error", "reason": reason}
