"""The sentences of the machine that can reach an agent (law id text:two-classes)."""

from typing import Final

NOT_JSON: Final = "This input holds something that JSON cannot; send plain JSON."
HOW_TO_SETTLE: Final = (
    "The earlier fire is still open. It settles when its handler ends, when the app reports its "
    "state naming the fire, when the app rejects it, or when an outside source reports on it. No "
    "timeout settles it."
)
HOW_TO_REPEAT: Final = (
    "This was fired before and may only happen once. Only a person acting in the app reopens it."
)
VERIFY_FAILED: Final = "The app's own check after the action failed: its effect is not there."
EXTERNAL_REFUSAL: Final = "An outside source reported that this did not happen."
NOT_CLONEABLE: Final = "The report holds something that JSON cannot; report plain JSON."

NOT_ENFORCED: Final = "This session does not require a person's approval, so it records none."
NEEDS_DECIDER: Final = "An answer needs the name of the person who gives it, in `by`."
UNKNOWN_ASK: Final = "This session has no such card or grant."
ASK_ALREADY_ANSWERED: Final = "This card has its answer; an answer is never overwritten."
ASK_ALREADY_SPENT: Final = "This approval has been used; it cannot be withdrawn any more."
WRONG_PRINCIPAL: Final = "Only a person withdraws what a person approved."
REVOKE_UNANSWERED: Final = "This card has no answer yet, so there is nothing to withdraw."
UNKNOWN_AFFORDANCE: Final = "No such action is declared, so nothing can be granted for it."
