"""Writes the server's users and the environment files that hold their passwords.

`python deploy/users.py deploy/secrets` makes new passwords. deploy/dev was made with `--dev`: its
passwords are in the repository, so it is for a developer's own machine and nothing else.

Each user may do what its work needs, within the keys and channels of the namespace `of`. Scripts
run with the rights of the user who calls them. Nobody may change users, configuration or other
people's keys, and the anonymous user is off.
"""

import hashlib
import secrets
import sys
from collections.abc import Callable
from pathlib import Path

LINK = (
    "+hello +auth +ping +select +role +time +client|id +client|setname "
    "+cluster|slots +cluster|shards +cluster|myid +info +config|get +command|count +readonly"
)
SCRIPTS = "+eval +evalsha +script|load +script|exists +wait"
HISTORY = (
    "+@hash +@string +@sortedset +@list +@set +exists +type +del +unlink "
    "+expire +pexpire +persist +ttl +pttl +scan +memory|usage"
)
NEWS = "+subscribe +unsubscribe +ssubscribe +sunsubscribe +publish +spublish"
ENQUEUE = "+xadd +xlen +xrange +xrevrange +xinfo|stream +xinfo|groups +xinfo|consumers +xpending"
PERFORM = "+xgroup|create +xgroup|createconsumer +xgroup|delconsumer +xreadgroup +xack +xclaim"
SWEEP = "+xautoclaim +xdel +xtrim"
NEVER = "-blpop -brpop -blmove -blmpop -brpoplpush -bzpopmin -bzpopmax -bzmpop"

USERS = {
    "port": (LINK, SCRIPTS, HISTORY, NEWS, ENQUEUE, NEVER),
    "worker": (LINK, SCRIPTS, HISTORY, NEWS, ENQUEUE, PERFORM, SWEEP, NEVER),
    "desk": (LINK, SCRIPTS, HISTORY, NEWS, ENQUEUE, NEVER),
}

HEADER = "user default off\nuser health on nopass resetkeys resetchannels -@all +ping\n"


def rule(user: str, password: str) -> str:
    """One line of the server's file: it holds the digest, never the password."""
    digest = hashlib.sha256(password.encode()).hexdigest()
    return f"user {user} on #{digest} ~of:* resetchannels &of:* -@all {' '.join(USERS[user])}\n"


def environment(user: str, password: str) -> str:
    """What a container of this user is given."""
    return f"ONEFATE_URL=redis://{user}:{password}@redis:6379/0\n"


def files(password_of: Callable[[str], str]) -> dict[str, str]:
    """Every file of a folder of secrets, by name."""
    passwords = {user: password_of(user) for user in USERS}
    written = {f"{user}.env": environment(user, word) for user, word in passwords.items()}
    return {"users.acl": HEADER + "".join(map(rule, passwords, passwords.values()))} | written


def development(user: str) -> str:
    """The same password on every machine, which says what it is."""
    return f"development-only-{user}"


def main(arguments: list[str]) -> int:
    """Writes the folder that is named; never over an existing one with real passwords."""
    names = [argument for argument in arguments if argument != "--dev"]
    if len(names) != 1:
        sys.stderr.write("usage: python deploy/users.py [--dev] FOLDER\n")
        return 2
    folder, dev = Path(names[0]), "--dev" in arguments
    if folder.exists() and not dev:
        sys.stderr.write(f"{folder} exists: remove it first if its passwords may go.\n")
        return 1
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    for name, text in files(development if dev else lambda _: secrets.token_urlsafe(32)).items():
        path = folder / name
        path.touch(mode=0o600 if name.endswith(".env") else 0o644)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
