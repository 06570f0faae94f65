"""Errors as JSON: what a handler raised is kept as its text, what it returned as it is.

A receipt says `{"raised": true, "text": …}` for what was raised, in any process, and the value
itself for a returned failure (spec: port-settlement §16.4).
"""

from onefate.broker.journey.values import error_text, is_object
from onefate.broker.session.state import Wire


def raised(error: BaseException) -> Wire:
    """Give the wire form of an exception: its explanation, or `Name: message`, cut at 200."""
    return {"raised": True, "text": error_text(error)}


def error_words(error: object) -> str:
    """Give what an error says, whichever way it was told."""
    if is_object(error) and error.get("raised") is True and isinstance(error.get("text"), str):
        return str(error["text"])
    return error_text(error)
