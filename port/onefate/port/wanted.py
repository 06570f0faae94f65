"""One attempt to perform an action, as an agent worded it."""

from dataclasses import dataclass

from onefate.broker.session.state import Wire
from onefate.port.arguments import Arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which action, with what, and what the caller says about a person's answer.

    Attributes:
        action: the full id.
        named: how answers that fire nothing name it: `action`, or `journey` and `step`.
        input: the input exactly as sent, `ABSENT` where none was.
        confirm: the caller says that a person agreed.
        decline: the caller says that a person said no; then nothing is fired.
    """

    action: str
    named: Wire
    input: object
    instance: str | None
    offer_id: str | None
    acknowledgement_id: str | None
    confirm: bool
    decline: bool

    @classmethod
    def of(cls, action: str, named: Wire, arguments: Arguments) -> "Wanted":
        """Read an attempt on `action` from a call's arguments."""
        return cls(
            action=action,
            named=named,
            input=arguments.input,
            instance=arguments.text("instance"),
            offer_id=arguments.text("offerId"),
            acknowledgement_id=arguments.text("acknowledgementId"),
            confirm=arguments.flag("confirm"),
            decline=arguments.flag("decline"),
        )
