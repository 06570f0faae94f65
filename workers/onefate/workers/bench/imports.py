"""What importing the port costs on top of redis and pydantic, in processes of their own.

Pydantic loads most of itself when `BaseModel` is first asked for; that part is its own.
"""

import subprocess
import sys
from typing import Final

from onefate.workers.bench.figures import Report
from onefate.workers.bench.order import median
from onefate.workers.bench.size import Size

_PROGRAM: Final = """
import redis.asyncio, time
from pydantic import BaseModel, TypeAdapter
began = time.process_time()
import onefate.port
print(time.process_time() - began)
"""
_MILLI: Final = 1000


def imports(size: Size) -> Report:
    """Give the processor's time of the import, in milliseconds; the median of several."""
    taken = [_once() for _ in range(size.imports + 1)][1:]
    return Report({"import-time": median(taken) * _MILLI}, {})


def _once() -> float:
    ran = subprocess.run(  # noqa: S603 - every word is ours
        [sys.executable, "-c", _PROGRAM], check=True, capture_output=True, text=True
    )
    return float(ran.stdout)
