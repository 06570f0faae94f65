"""Maps the journey tests share, in wire form."""

from collections.abc import Mapping


def action(**declared: object) -> dict[str, object]:
    """A page `desk` with one action `act`, declared as given."""
    return {"pages": {"desk": {"actions": {"act": {"does": "Do the thing", **declared}}}}}


def page(**declared: object) -> dict[str, object]:
    """One page `desk`, declared as given."""
    return {"pages": {"desk": declared}}


def with_journey(**declared: object) -> dict[str, object]:
    """Two actions and one journey `flow`, declared as given."""
    actions = {"sign": {"does": "Sign"}, "file": {"does": "File"}}
    pages = {"desk": {"actions": actions}, "hall": {"actions": {"file": {"does": "File it"}}}}
    return {"pages": pages, "journeys": {"flow": declared}}


def with_sources(*sources: Mapping[str, object], **rest: object) -> dict[str, object]:
    """A map made of sources."""
    return {"sources": list(sources), **rest}


CLINIC: dict[str, object] = {
    "does": "A clinic",
    "pages": {
        "intake": {
            "route": "/intake",
            "when": {"open": {"eq": True}},
            "actions": {
                "save": {"does": "Save the form", "writes": ["form"], "goTo": "visit"},
            },
            "areas": {
                "allergies": {
                    "repeats": True,
                    "when": {"level": {"gte": 2}},
                    "actions": {"add": {"does": "Add one", "when": {"level": {"lt": 9}}}},
                },
            },
            "tabs": {"old": {}, "new": {"actions": {"compare": {"does": "Compare"}}}},
            "modals": {"help": {"blocks": False}, "sign": {}},
        },
        "visit": {
            "route": "/visits/:id",
            "actions": {
                "note": {
                    "does": "Write a note",
                    "writes": ["note"],
                    "verify": {"note": {"ne": ""}, "author": {"ne": ""}},
                    "humanDecides": {"about": "what to say", "doneWhen": {"said": {"eq": True}}},
                },
            },
        },
    },
    "actions": {"print": {"does": "Print the chart", "on": ["intake", "visit"]}},
    "journeys": {
        "checkin": {
            "does": "Check in",
            "steps": ["allergies.add", {"step": "save"}, "print"],
            "when": {"patient": {"ne": None}},
        },
    },
}
