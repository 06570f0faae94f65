"""One fire on its way into a plain ledger: checked, encoded, and turned into a script's slots."""

from hashlib import blake2b
from typing import NamedTuple, Self

from onefate.broker.ledger import scripts
from onefate.broker.ledger.codec import to_json
from onefate.broker.ledger.ids import Number, checked_name, new_token
from onefate.broker.ledger.keys import SessionKeys
from onefate.broker.ledger.models import Json
from onefate.broker.ledger.settings import BrokerSettings
from onefate.broker.ledger.store import History


class Recording(NamedTuple):
    """What is to be recorded; `digest` is empty where the token is ours."""

    action: str
    principal: str
    by: str
    token: str
    body: bytes
    queue: str
    repeatable: bool
    digest: str

    @classmethod
    def of(  # noqa: PLR0913 - each names one fact of a fire
        cls,
        settings: BrokerSettings,
        action: str,
        payload: tuple[Json, ...],
        *,
        principal: str,
        queue: str | None,
        repeatable: bool,
        by: str | None,
        token: str | None,
    ) -> Self:
        """Check and encode what a caller wants recorded.

        Raises:
            BadInput: a name or the payload cannot be kept.
        """
        checked_name("action", action)
        body = to_json("payload", payload[0], settings.max_payload_bytes) if payload else b""
        told = b"" if token is None else action.encode() + b"\n" + body
        return cls(
            action=action,
            principal=checked_name("principal", principal),
            by=checked_name("author", by or principal),
            token=new_token() if token is None else checked_name("token", token),
            body=body,
            queue="" if queue is None else checked_name("queue", queue),
            repeatable=repeatable,
            digest=blake2b(told, digest_size=12).hexdigest() if told else "",
        )

    def call(
        self, keys: SessionKeys, at: Number, history: History, settings: BrokerSettings
    ) -> scripts.Call:
        """Fill the slots of the script for one expected number."""
        place, partition = str(at), keys.partition
        return scripts.call(
            scripts.RECORD,
            scripts.RecordKeys(
                keys.session, keys.open, keys.fire(place), keys.payload(place),
                partition.work(self.queue), partition.nudge, keys.token(self.token),
            ),
            scripts.RecordArgs(
                history.topology, history.epoch, at.epoch, at.n, at.order,
                f"{self.action}#{place}", self.action,
                self.principal, self.by, self.token, self.body, self.queue,
                "1" if self.repeatable else "", keys.id, self.digest, settings.retention_ms,
            ),
        )  # fmt: skip

    def fields(self, at_ms: int) -> tuple[str, ...]:
        """Give the fire's hash as it was written, as a flat list of fields and values."""
        pairs = {
            "a": self.action, "p": self.principal, "s": "open", "t": str(at_ms), "b": self.by,
            "k": self.token, "r": "1" if self.repeatable else "", "q": self.queue,
        }  # fmt: skip
        return tuple(word for pair in pairs.items() if pair[1] for word in pair)
