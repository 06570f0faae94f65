"""Every sentence that the facts, the brief and the causal slice are built from (text:two-classes).

The braces take ids, counts and what the map's author wrote; never a value of the app's state, an
input, a label, a note or a name that somebody gave.
"""

from typing import Final

# Position

AT: Final = "You are on the page {page}."
OFF_THE_MAP: Final = "You are on a page that this map does not declare."
LOOKING_AT: Final = "You are looking at {node}."
MOUNTED: Final = "Mounted here: {nodes}."

# Names in a line

UNDECLARED: Final = "an action that this map does not declare"
LABELLED: Final = '{action} ("{does}")'
PRINCIPALS: Final = {
    "user": "a person",
    "agent": "the agent",
    "system": "the app",
    "unknown": "somebody unknown",
}

# Facts

FACTS_HEADER: Final = (
    "This is what the session has on record. Where the conversation says otherwise, this is right."
)
NOTHING_PERFORMED: Final = "Nothing was performed in this session. Report nothing as done."
NOTHING_SINCE: Final = (
    "Nothing was performed since version {since}. Attempts before that, not listed here: {count}."
)
ATTEMPTS: Final = "What was attempted in this session, oldest first:"
ATTEMPTS_SINCE: Final = "What was attempted since version {since}, oldest first:"
OLDER_ATTEMPTS: Final = "- Older attempts, not listed here: {count}."
FIRED: Final = "- {action}, by {principal}: {verdict}"
INFERRED: Final = " It is inferred from a report of the app; nobody said that they did it."
REFUSED: Final = "- {action}, by {principal}: refused ({reason}). It did NOT happen."
JOURNEY_REFUSED: Final = (
    "- Opening the journey {journey}, by {principal}: refused ({reason}). It did NOT happen."
)

STALE_ACTIONS: Final = (
    "- The app could not read its own list of actions; what is listed here may be out of date."
)

NOT_WIRED: Final = "did NOT happen. Nothing is wired to perform it."
PENDING: Final = "not yet known ({id}). Ask did_it_work about it; do not repeat it."
CHECK_FAILED: Final = "did NOT happen. It ran, and the app's own check afterwards failed."
REJECTED: Final = "did NOT happen. It was rejected."
ROLLED_BACK: Final = "did NOT happen. It was rolled back."
SUPERSEDED: Final = "ran. Its outcome was not observed and something else has taken its place."
VERIFIED: Final = "DID happen. The app reported its effect."
NOT_OBSERVED: Final = "ran. The app's report did not show the effect that it declares."
UNOBSERVABLE: Final = "ran. Nothing here can observe its effect."

CARD_WAITS: Final = "{ask} about {action} waits for a person. It was NOT performed."
CARDS_MORE: Final = "More cards that wait for a person, not listed here: {count}."
CARD_WITHDRAWN: Final = (
    "{ask} about {action} was approved, and the approval was withdrawn. It was NOT performed."
)
CARD_APPROVED: Final = (
    "{ask} about {action} is approved and NOT performed. Perform it now, with the same input."
)
CARD_STALE: Final = (
    "{ask} about {action} was approved, but the approval is no longer valid. It was NOT performed; "
    "ask the person again."
)
CARD_DECLINED: Final = "{ask} about {action} was declined. It was NOT performed; do not repeat it."
DECISION_OPEN: Final = (
    "{action} is a person's choice and is not known to be made. Present the options and wait."
)
DECISIONS_MORE: Final = "More choices of a person on this page, not listed here: {count}."
AWAITING_REPORT: Final = "Waiting for the app's report on: {actions}. Do not repeat them."
WORKING: Final = "The app has work open for: {actions}. That is no outcome yet."
WORKING_MORE: Final = "More actions the app has work open for, not listed here: {count}."
UNBOUND_WORK: Final = "The app has work open that belongs to no action."

# Brief

JOURNEY_OPEN: Final = 'Open journey: {journey} ("{does}"). Steps fired: {done} of {total}.'
JOURNEY_DEMOTED: Final = "The journey {journey} was closed because its condition no longer holds."
WHOLE_SESSION: Final = "The whole session, now at version {version}:"
SINCE: Final = "Since version {since}, now at version {version}:"
NO_ROWS: Final = "- Nothing happened."
OLDER_ROWS: Final = "- Older rows, not listed here: {count}."
ROW_FIRED: Final = "- {action}, by {principal}"
ROW_MOVE: Final = " ({origin} -> {target})"
ROW_FLAGS: Final = " [{flags}]"
ROW_SYNC: Final = "- Moved: {origin} -> {target}, by {principal} ({kind}; nobody fired it)."
ROW_STRUCTURE: Final = "- The app's controls changed."
ROW_STIMULUS: Final = "- A report by {principal} ({kind}) changed: {keys}."
ROW_NO_CHANGE: Final = "- A report by {principal} ({kind}) changed nothing that is observable."
UNDECLARED_PAGE: Final = "a page not declared"

FLAG_INFERRED: Final = "inferred"
FLAG_HIGH_EFFECT: Final = "high effect"
FLAG_NOT_WIRED: Final = "nothing wired, not performed"
FLAG_CLAIMED: Final = "arrival claimed"
FLAG_PENDING: Final = "not yet known"
FLAG_NOT_OBSERVED: Final = "declared effect not observed"

PENDING_NOW: Final = "Waiting for the app's report on: {actions}."
PENDING_NONE: Final = "No fire waits for a report."
SERVED: Final = "Available now: {actions}."
SERVED_NONE: Final = "Nothing is available here now."
SERVED_HIGH_EFFECT: Final = "{action} (high effect)"

# Why

NEVER_WRITTEN: Final = (
    "Nothing on record wrote {key}. Its value, if it has one, came with the session or from "
    "outside."
)
NOT_FOUND: Final = "None of the latest {count} rows wrote {key}. Older ones were not searched."
NOTHING_COMMITTED: Final = "Nothing on record has changed any state yet."
SLICE_HEADING: Final = "What led to {key}, latest first:"
SLICE_ROOT: Final = "{stage} ({id}) changed {keys}"
SLICE_PARENT: Final = "because of {via}: {stage} ({id}) changed {keys}"
SLICE_AGAIN: Final = "because of {via}: {stage} ({id}), shown above"
SLICE_CUT: Final = "Earlier causes are left out."
