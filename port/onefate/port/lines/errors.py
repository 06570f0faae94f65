"""What can go wrong between the two ends of a line-delimited connection.

OnefateError
├── BadInput
│   ├── BadLine              a line is not a request: `BAD_LINE`
│   ├── LineTooLong          a line passes the bound: `LINE_TOO_LONG`
│   ├── RequestIdInUse       an id is still being answered: `REQUEST_ID_IN_USE`
│   └── BadAddress           an address to listen on or connect to cannot be read: `BAD_ADDRESS`
├── Refused
│   ├── AddressRefused       nobody can listen there: `ADDRESS_REFUSED`
│   ├── TooManyRequests      a connection has its fill in flight: `TOO_MANY_REQUESTS`
│   └── PortAnsweredError    the port at the other end answered with an error: `PORT_ERROR`
└── Unavailable
    ├── WaitAbandoned        the caller gave up this wait: `WAIT_ABANDONED`
    └── PortGone             the connection ended before the answer came: `PORT_GONE`
"""

from onefate.broker.errors import BadInput, Refused, Unavailable


class BadLine(BadInput):
    """The line is no request; nothing was done."""

    code = "BAD_LINE"

    def __init__(self, problem: str, request_id: int | str | None = None) -> None:
        super().__init__(problem, request_id)
        self.problem = problem
        self.request_id = request_id

    def __str__(self) -> str:
        return f"The line is not a request: {self.problem}."


class LineTooLong(BadInput):
    """The line passed the bound and was skipped up to its end; nothing was done."""

    code = "LINE_TOO_LONG"

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"A line may hold at most {self.limit} bytes; this one was skipped."


class RequestIdInUse(BadInput):
    """A request under this id is still being answered on this connection."""

    code = "REQUEST_ID_IN_USE"

    def __init__(self, request_id: int | str) -> None:
        super().__init__(request_id)
        self.request_id = request_id

    def __str__(self) -> str:
        return f"Request {self.request_id!r} is still being answered; use a fresh id."


class BadAddress(BadInput):
    """The text names no address a port can listen on."""

    code = "BAD_ADDRESS"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"{self.text!r} is no address; write unix:PATH or tcp:HOST:PORT."


class AddressRefused(Refused):
    """The system, or another port that is alive there, refuses the address."""

    code = "ADDRESS_REFUSED"

    def __init__(self, address: str, problem: str) -> None:
        super().__init__(address, problem)
        self.address = address
        self.problem = problem

    def __str__(self) -> str:
        return f"The port cannot listen at {self.address}: {self.problem}."


class TooManyRequests(Refused):
    """The connection has as many requests in flight as it may."""

    code = "TOO_MANY_REQUESTS"

    def __init__(self, limit: int, request_id: int | str) -> None:
        super().__init__(limit, request_id)
        self.limit = limit
        self.request_id = request_id

    def __str__(self) -> str:
        return f"At most {self.limit} requests may be in flight on one connection."


class PortAnsweredError(Refused):
    """The port answered the request with an error; `reason` is the code it gave."""

    code = "PORT_ERROR"

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(reason, sentence)
        self.reason = reason
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


class WaitAbandoned(Unavailable):
    """The caller abandoned the wait; the fire goes on."""

    code = "WAIT_ABANDONED"

    def __init__(self, request_id: int | str) -> None:
        super().__init__(request_id)
        self.request_id = request_id

    def __str__(self) -> str:
        return f"The wait of request {self.request_id!r} was abandoned by its caller."


class PortGone(Unavailable):
    """The connection to the port ended; what was asked may or may not have been done."""

    code = "PORT_GONE"

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address

    def __str__(self) -> str:
        return f"The connection to the port at {self.address} ended before it answered."
