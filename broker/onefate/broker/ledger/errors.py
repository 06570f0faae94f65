"""Errors of the ledger: what the store says, and what nobody can know.

BadInput
├── BadSetting            a setting or URL that means nothing
├── CommandNotShared      a command that would hold up or change everybody's connection
├── WrongProcess          a link used after a fork, in the child
├── WrongLoop             a link used from another event loop
└── LinkClosed            a link used after `aclose`
Refused
├── ServerRefused         an error reply; `kind` is its first word
│   ├── PasswordRequired  NOAUTH
│   ├── WrongPassword     WRONGPASS
│   ├── PermissionDenied  NOPERM
│   ├── ServerFull        OOM
│   ├── ReadOnlyReplica   READONLY
│   ├── ServerLoading     LOADING
│   ├── MasterDown        MASTERDOWN
│   ├── CannotPersist     MISCONF
│   ├── ServerBusy        BUSY
│   ├── TooFewReplicas    NOREPLICAS
│   ├── ProtectedMode     DENIED
│   ├── TooManyClients    -ERR max number of clients
│   ├── WrongDatabase     -ERR DB index is out of range
│   └── ServerTooOld      NOPROTO, or no HELLO at all
├── TlsRefused            the two sides do not agree on TLS
├── MissingExtra          a feature whose optional package is not installed
└── EmbeddedRefused       the private server cannot run here (binary, directory, start)
Unavailable
├── OutcomeUnknown        written, then lost: it may or may not have happened
└── NotSent               never written: it did not happen

Every error pickles: its arguments are its attributes, and its sentence is made from them.
"""

from typing import ClassVar

from onefate.broker.errors import BadInput, Refused, Unavailable


class BadSetting(BadInput):
    """A setting cannot be accepted; nothing was opened."""

    code = "BAD_SETTING"

    def __init__(self, setting: str, problem: str) -> None:
        super().__init__(setting, problem)
        self.setting = setting
        self.problem = problem

    def __str__(self) -> str:
        return f"The setting {self.setting} {self.problem}."


class CommandNotShared(BadInput):
    """The command may not run on a connection that everybody shares; nothing was sent."""

    code = "COMMAND_NOT_SHARED"

    def __init__(self, command: str) -> None:
        super().__init__(command)
        self.command = command

    def __str__(self) -> str:
        return (
            f"{self.command} blocks or changes a connection that all callers share; "
            "use a script, a subscription of the link, or a connection of your own."
        )


class WrongProcess(BadInput):
    """The link was opened by the parent of this process; nothing was sent."""

    code = "LINK_WRONG_PROCESS"

    def __init__(self, opened_in: int, used_in: int) -> None:
        super().__init__(opened_in, used_in)
        self.opened_in = opened_in
        self.used_in = used_in

    def __str__(self) -> str:
        return (
            f"This link was opened in process {self.opened_in} and cannot be used in its fork "
            f"{self.used_in}; open a new link in each process."
        )


class WrongLoop(BadInput):
    """The link was opened on another event loop; nothing was sent."""

    code = "LINK_WRONG_LOOP"

    def __str__(self) -> str:
        return "This link was opened on another event loop; open one link for each event loop."


class LinkClosed(BadInput):
    """The link was closed before the call; nothing was sent."""

    code = "LINK_CLOSED"

    def __str__(self) -> str:
        return "This link is closed; open a new one."


class ServerRefused(Refused):
    """The server answered with an error; `kind` is its first word and `detail` its own text."""

    code = "SERVER_REFUSED"
    sentence: ClassVar[str] = "The server refused the command"

    def __init__(self, kind: str, detail: str = "", command: str = "") -> None:
        super().__init__(kind, detail, command)
        self.kind = kind
        self.detail = detail
        self.command = command

    def __str__(self) -> str:
        if type(self) is not ServerRefused:
            return self.sentence
        what = self.command or "a command"
        return f"The server refused {what} with {self.kind}; its own words are in `detail`."


class PasswordRequired(ServerRefused):
    """The server wants credentials and was given none."""

    code = "PASSWORD_REQUIRED"
    sentence = (
        "The server asks for a password; put it into the URL as redis://user:password@host:port."
    )


class WrongPassword(ServerRefused):
    """The server does not accept the credentials of the URL."""

    code = "WRONG_PASSWORD"
    sentence = (
        "The server does not accept this user name and password, or the user is disabled; "
        "correct them in the URL."
    )


class PermissionDenied(ServerRefused):
    """The user of the URL may not run a command, or not on that key or channel."""

    code = "PERMISSION_DENIED"
    sentence = (
        "The user of the URL may not run this command or touch this key or channel; "
        "grant it the rules listed in docs/operations.md."
    )


class ServerFull(ServerRefused):
    """The server is out of memory; the write did not happen."""

    code = "SERVER_FULL"
    sentence = (
        "The server has reached its maxmemory and refuses writes; give it more memory "
        "or shorten the retention."
    )


class ReadOnlyReplica(ServerRefused):
    """The server is a replica; the write did not happen and the link looks for the master."""

    code = "READ_ONLY_REPLICA"
    sentence = "The server is a read-only replica; point the URL at the master."


class ServerLoading(ServerRefused):
    """The server is reading its data from disk."""

    code = "SERVER_LOADING"
    sentence = "The server is still loading its data from disk; it will answer when it is done."


class MasterDown(ServerRefused):
    """The server is a replica that lost its master."""

    code = "MASTER_DOWN"
    sentence = "The server is a replica whose master is down; point the URL at the master."


class CannotPersist(ServerRefused):
    """The server cannot write its data to disk and refuses writes."""

    code = "CANNOT_PERSIST"
    sentence = (
        "The server cannot save its data to disk and refuses writes; "
        "free disk space and read the server's log."
    )


class ServerBusy(ServerRefused):
    """A script has kept the server busy for longer than its limit."""

    code = "SERVER_BUSY"
    sentence = "The server is busy with somebody's long script; end it with SCRIPT KILL."


class TooFewReplicas(ServerRefused):
    """The server has fewer good replicas than its min-replicas-to-write."""

    code = "TOO_FEW_REPLICAS"
    sentence = (
        "The server has fewer replicas in step than its min-replicas-to-write asks for "
        "and refuses writes; bring the replicas back."
    )


class ProtectedMode(ServerRefused):
    """The server admits only local clients until it has a password."""

    code = "PROTECTED_MODE"
    sentence = (
        "The server is in protected mode and admits only local clients; "
        "give it a password and put that into the URL."
    )


class TooManyClients(ServerRefused):
    """The server has no room for another connection."""

    code = "TOO_MANY_CLIENTS"
    sentence = "The server has reached its maxclients; raise it or close other connections."


class WrongDatabase(ServerRefused):
    """The database number of the URL does not exist on the server."""

    code = "WRONG_DATABASE"
    sentence = "The database number in the URL does not exist on the server; use 0."


class ServerTooOld(ServerRefused):
    """The server does not speak RESP3."""

    code = "SERVER_TOO_OLD"
    sentence = "The server does not speak RESP3; use Redis or Valkey 7.0 or newer."


class TlsRefused(Refused):
    """TLS could not be agreed on; `problem` says on what."""

    code = "TLS_REFUSED"

    def __init__(self, address: str, problem: str) -> None:
        super().__init__(address, problem)
        self.address = address
        self.problem = problem

    def __str__(self) -> str:
        return (
            f"The server at {self.address} and this client do not agree on TLS ({self.problem}); "
            "check that the port speaks TLS and that ssl_ca_certs names its authority."
        )


class MissingExtra(Refused):
    """A feature was asked for whose optional package is not installed."""

    code = "MISSING_EXTRA"

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(feature, extra)
        self.feature = feature
        self.extra = extra

    def __str__(self) -> str:
        return f"{self.feature} needs an optional package: install onefate[{self.extra}]."


class EmbeddedRefused(Refused):
    """The private server cannot run here; `problem` says why and what to do."""

    code = "EMBEDDED_REFUSED"

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem

    def __str__(self) -> str:
        return f"The embedded server cannot be used: {self.problem}."


class OutcomeUnknown(Unavailable):
    """The link was lost after the command was written: it may or may not have happened."""

    code = "OUTCOME_UNKNOWN"

    def __init__(self, address: str, cause: str) -> None:
        super().__init__(address, cause)
        self.address = address
        self.cause = cause

    def __str__(self) -> str:
        return (
            f"The link to {self.address} was lost ({self.cause}) after the command was written, "
            "so it may or may not have happened; ask again with the same token."
        )


class NotSent(Unavailable):
    """The link stayed down for the whole patience: nothing was written."""

    code = "NOT_SENT"

    def __init__(self, address: str, patience: float, cause: str) -> None:
        super().__init__(address, patience, cause)
        self.address = address
        self.patience = patience
        self.cause = cause

    def __str__(self) -> str:
        return (
            f"No usable server at {self.address} within {self.patience:g} s ({self.cause}), "
            "so nothing was sent; start the server or correct the URL in ONEFATE_URL."
        )


_KINDS: dict[str, type[ServerRefused]] = {
    "NOAUTH": PasswordRequired,
    "WRONGPASS": WrongPassword,
    "NOPERM": PermissionDenied,
    "OOM": ServerFull,
    "READONLY": ReadOnlyReplica,
    "LOADING": ServerLoading,
    "MASTERDOWN": MasterDown,
    "MISCONF": CannotPersist,
    "BUSY": ServerBusy,
    "NOREPLICAS": TooFewReplicas,
    "DENIED": ProtectedMode,
    "NOPROTO": ServerTooOld,
}
_GENERIC: dict[str, type[ServerRefused]] = {
    "max number of clients": TooManyClients,
    "DB index is out of range": WrongDatabase,
    "unknown command 'HELLO'": ServerTooOld,
}


def refused(text: str, command: str = "") -> ServerRefused:
    """Return the error an error reply stands for, chosen by its first word."""
    kind, _, detail = text.partition(" ")
    found = _KINDS.get(kind)
    if found is None and kind == "ERR":
        found = next((each for part, each in _GENERIC.items() if part in detail), None)
    return (found or ServerRefused)(kind, detail, command)
