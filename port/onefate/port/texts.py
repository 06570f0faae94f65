"""Every sentence an agent reads through a port, each saying what is true and what to do next.

Sentences are constants (text:two-classes): no value of a running app, of a caller or of a person
ever stands inside one. The single exception is `how_to_settle`, which names the tool to ask with;
that name is fixed when the port is built (spec: port-settlement §20).
"""

from typing import Final

# After a fire

_HOW_TO_SETTLE: Final = (
    "This is not finished. Ask {tool} with this transitionId how it came out. Do not repeat the "
    "call."
)
STILL_PENDING: Final = (
    "It has no outcome yet, neither done nor failed. Do not repeat it. Ask again later, or look "
    "around."
)
OUTCOME_MOVED: Final = (
    "The receipt is from when it came to rest; outcomeNow says what became of it since. Look at "
    "what is here before you act on it."
)
ALREADY_TRUE: Final = (
    "What this should bring about was already so before it was fired, so no report of a change "
    "was awaited. Do not wait for one and do not repeat it."
)
NOTHING_EXECUTED: Final = (
    "It is on record, but nothing is wired to perform it, so nothing was performed. Do not report "
    "it as done."
)
STILL_WORKING: Final = (
    "The app has work open that belongs to this fire. That says neither success nor failure, and "
    "no timeout ends it."
)
EXTERNAL: Final = (
    "The outcome was reported by the outside source named in reportedBy and recorded as it was "
    "given; nothing here checked it."
)
ARRIVAL_CLAIMED: Final = (
    "Performing this was to lead to that page; nobody has seen the page since. Unseen is not "
    "failed."
)
ARRIVAL_OBSERVED: Final = (
    "The page was seen after this was performed. That fits, but does not prove the one caused the "
    "other."
)

# Cards

PAUSED: Final = (
    "Nothing was performed. This is a question for a person and no failure. Your confirm is not "
    "their answer."
)
ASK_HOWTO: Final = (
    "Show the person the receipts. If they agree, call again with confirm: true; if they do not, "
    "with decline: true."
)
ASK_HOWTO_ENFORCED: Final = (
    "Show the person the receipts. They approve or decline in the app. Then call again with the "
    "same input and confirm: true; before they have approved, that is refused."
)
APPROVAL_REQUIRED: Final = (
    "Nothing was performed: a person's approval of exactly this input is not on record. The card "
    "asks for it."
)
RELAYED_DECLINE: Final = (
    "Your report of a no is on record as your report. The card stays open until a person answers "
    "it."
)
P_AWAITING: Final = "Nothing was performed. A person has not answered yet. Wait; do not ask again."
P_DECLINED: Final = "Nothing was performed. A person said no. Do not try it again unless they ask."
P_APPROVED: Final = (
    "A person said yes and it is not performed yet. Perform it now with the same input and "
    "confirm: true. Do not ask again."
)
P_STALE: Final = (
    "Nothing was performed and the approval is no longer valid. Do not keep trying; ask afresh "
    "without confirm."
)
P_REVOKED: Final = (
    "Nothing was performed: the approval was withdrawn. Ask afresh only if the person wants it "
    "again."
)
AMBIGUOUS: Final = (
    "This id names two things, a fire and a card, so neither is reported. Tell the app's "
    "developers that an action must not be called ask, grant or refusal."
)

# Journeys

WITH_THE_HUMAN: Final = (
    "These choices are a person's. Present the options and wait for theirs; nothing is locked. "
    "Where made is true they have chosen: go on as usual."
)
PICK_READY: Final = "Call this tool again with one of readySteps as step."
NO_READY: Final = (
    "No step can be performed from here now. Do not repeat the call: wait, go to another page, or "
    "tell the person what is missing."
)
BLOCKED: Final = "The journey did not open: the condition in evidence does not hold."
BLOCKED_KEPT: Final = (
    "The journey did not open: the condition in evidence does not hold. The journey in keptFrame "
    "is still open."
)
ENTRY_KEPT: Final = (
    "The journey did not open: nothing is wired to perform its first step. The journey in "
    "keptFrame is still open. Tell the person."
)
ELSEWHERE: Final = (
    "Only journeys that start on this page are listed. The others start on other pages; go there, "
    "or call theirs by name."
)

# Places

ROUTE: Final = (
    "Declared hops, fewest first. They are no plan and no permission: each is judged when fired."
)
NO_ROUTE: Final = "No declared action leads there from here. That does not make it impossible."
NOT_ON_PAGE: Final = (
    "This action is offered on another page. Go there first; nothing was performed."
)
CONDITIONS_NOT_MET: Final = (
    "This action belongs here, but the conditions in evidence do not hold now. Nothing was "
    "performed."
)
DECLARED_NOT_OFFERED: Final = (
    "This action is declared but cannot be reached right now, for example behind a dialog or on a "
    "hidden part of the page. Nothing was performed."
)

# Missing and malformed arguments

JOURNEY_REQUIRED: Final = (
    "The argument journey is missing: name one of journeys. Nothing was performed."
)
KEY_REQUIRED: Final = (
    "The argument key is missing: name one state key, as reads, writes or conditions spell it. "
    "Nothing was performed."
)
TRANSITION_ID_REQUIRED: Final = (
    "The argument transitionId is missing: give the id that a call answered with, or an askId. "
    "Nothing was performed."
)
ACTION_REQUIRED: Final = (
    "The argument action is missing: name one of actions. Nothing was performed."
)
STORE_UNAVAILABLE: Final = (
    "The session could not be reached in time. Whether this call was recorded is not known: look "
    "around before you repeat it."
)
STORE_REFUSED: Final = (
    "The session could not take this call. Nothing was performed. Tell the person: repeating it "
    "will not help."
)
TOO_MANY_CARDS: Final = (
    "Too many questions wait for a person already. Nothing was asked or performed: let the person "
    "answer first."
)
ARGUMENT_TOO_LONG: Final = (
    "A name that was sent is longer than a fire can keep: send one that was listed. Nothing was "
    "performed."
)
INPUT_UNREADABLE: Final = (
    "The input cannot be kept as JSON: it nests too deeply or holds a number that JSON does not "
    "have. Nothing was performed."
)
INPUT_TOO_LARGE: Final = (
    "What was sent is longer than limit, in bytes of JSON. Send less. Nothing was performed."
)
FORGOTTEN: Final = (
    "This fire existed and came to rest, and its record is no longer kept. How it came out cannot "
    "be said here any more. Do not repeat it on that account."
)

# Refusals

DISABLED: Final = (
    "The control is switched off at the moment. That is a state, not a verdict; its cause is not "
    "known here. Look again later."
)
DISABLED_EVIDENCE: Final = (
    "evidence shows the app's own condition that does not hold; meeting it promises nothing."
)
BUSY: Final = (
    "The app says it is working on this. That is not why it was refused. Do not fire it again."
)
NOT_MATERIALIZED: Final = (
    "Nothing is wired to perform this action, so you cannot. Tell the person; they may do it "
    "themselves."
)
PRIOR_PENDING: Final = (
    "An earlier fire of this has not come to rest, and only one may run at a time. Only its "
    "settlement frees it. Ask did_it_work about pendingTransitionId."
)
DUPLICATE: Final = (
    "This is done once only, and it was fired before: see priorTransitionId. It opens again when "
    "a person acts in the app. Do not repeat it."
)
OFFER_REQUIRED: Final = (
    "This action must be fired from a row you have seen. Look with whats_here and send its offerId."
)
OFFER_UNKNOWN: Final = (
    "This session served no row under that offerId. Look with whats_here and send the offerId you "
    "find."
)
OFFER_EVICTED: Final = (
    "That row is too old to be on record. Look with whats_here and send the new offerId."
)
OFFER_OTHER: Final = (
    "That offerId was served for the action in offeredFor. Send the one of this action's own row."
)
WORLD_MOVED: Final = (
    "What moved lists has changed since that row was served. Look with whats_here, think again, "
    "and send the new offerId if you still want it."
)
ACK_REQUIRED: Final = (
    "What moved lists has changed since that row was served, and the change must be acknowledged "
    "first. The app does that; tell the person what changed."
)
ACK_EVICTED: Final = (
    "The acknowledgement is too old to be on record. It must be given again in the app; tell the "
    "person what changed."
)
ACK_STALE: Final = (
    "The state has moved again since that acknowledgement. It must be given again in the app; "
    "tell the person what changed."
)
PRINCIPAL: Final = (
    "Your kind of caller may not perform this; required lists who may. Trying again changes "
    "nothing. Hand it over."
)
HUMAN_ONLY: Final = (
    "Only a person may perform this. Trying again changes nothing. Ask the person to do it in the "
    "app."
)
EFFECT: Final = (
    "The app demands that an effect this grave can be checked, and this action declares no check. "
    "Trying again changes nothing. Tell the person; its developers must declare one."
)
APPROVAL_SPENT: Final = (
    "The approval was used by an earlier fire; one yes is good for one fire. Ask afresh without "
    "confirm."
)
APPROVAL_STALE: Final = "The approval is no longer valid. Ask afresh without confirm."
APPROVAL_DECLINED: Final = "A person said no to this. Do not try it again unless they ask for it."
APPROVAL_REVOKED: Final = (
    "The approval was withdrawn. Ask afresh without confirm, if the person wants it again."
)
APPROVAL_MISMATCH: Final = (
    "The approval was given for something else; differs says in what. Ask afresh with the input "
    "you mean."
)

# Tools

DOES_JOURNEY: Final = (
    "Opens this journey and shows which of its steps can be taken. With step, takes that step."
)
DOES_JOURNEYS: Final = (
    "Opens a journey of this app by name and shows which of its steps can be taken. With step, "
    "takes that step."
)
DOES_LOOK: Final = (
    "Shows where you are, what has happened, which actions and journeys are available here, and "
    "with routeTo the declared way to another page. Performs nothing."
)
DOES_WHY: Final = "Shows which performed actions and reports led to the value of one state key."
DOES_ACT: Final = (
    "Performs one action that whats_here lists. It answers at once; how it came out is asked with "
    "did_it_work."
)
DOES_ASK: Final = (
    "Says how a fire came to rest, or how a card was answered. It never waits and performs nothing."
)
ARG_JOURNEY: Final = "The journey's name, as whats_here lists it."
ARG_STEP: Final = "A step, as readySteps lists it. Left out, nothing is performed."
ARG_INPUT: Final = "What the action takes, shaped as expects says."
ARG_CONFIRM: Final = "True once the person has seen the receipts and agreed."
ARG_CONFIRM_GATED: Final = (
    "True asks to perform it under a person's recorded approval. It is your request, not their "
    "decision."
)
ARG_DECLINE: Final = "True if the person said no. Nothing is performed."
ARG_DECLINE_GATED: Final = (
    "True reports that the person said no. It is your report, not their decision; the card stays "
    "open. Nothing is performed."
)
ARG_INSTANCE: Final = "Which one, for an action that lists instances."
ARG_SINCE: Final = "A version from an earlier answer: texts then tell only what came after it."
ARG_ROUTE: Final = "A page to get to."
ARG_KEY: Final = "One state key."
ARG_ACTION: Final = (
    "The action's id, as whats_here lists it, or its last part where only one has it."
)
ARG_ID: Final = "The transitionId or askId of an earlier answer."


def how_to_settle(tool: str) -> str:
    """The sentence that sends the agent to the tool it asks with."""
    return _HOW_TO_SETTLE.format(tool=tool)
