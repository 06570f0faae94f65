"""Scalars compared, converted and printed as JavaScript does, so that one map means one thing.

Booleans are never numbers in an equality; the ordering operators coerce (spec: graph-session §2.2,
port-settlement §19.1). Integers keep their exact value whatever their size.
"""

import math
import re
from collections.abc import Iterable
from typing import Final

SPACE: Final = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_RADIX: Final = re.compile(r"0(?:x([0-9a-f]+)|o([0-7]+)|b([01]+))", re.ASCII | re.IGNORECASE)
_INFINITY: Final = {"Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}
_WIDEST_PLAIN: Final = 21
_NARROWEST_PLAIN: Final = -7


def is_blank(text: str) -> bool:
    """True if nothing but white space is in it."""
    return not text.strip(SPACE)


def same(left: object, right: object) -> bool:
    """Strict equality: no coercion, and two containers are never the same one."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return left is None and right is None


def is_member(value: object, items: Iterable[object]) -> bool:
    """Membership by `same`, in which NaN is a member of a list that holds NaN."""
    return any(same(value, item) or (_is_nan(value) and _is_nan(item)) for item in items)


def order(left: object, right: object) -> int | None:
    """-1, 0 or 1 as `left` sorts before, with or after `right`; None where they do not compare.

    Two texts compare by UTF-16 code units; anything else as numbers, and what stands for no number
    compares with nothing.
    """
    if isinstance(left, str) and isinstance(right, str):
        ours, theirs = _units(left), _units(right)
        return (ours > theirs) - (ours < theirs)
    a, b = to_number(left), to_number(right)
    if _is_nan(a) or _is_nan(b):
        return None
    return (a > b) - (a < b)


def to_number(value: object) -> int | float:
    """The number a value stands for in a comparison; NaN for what stands for none."""
    if value is None:
        return 0
    if isinstance(value, int | float):
        return value + 0
    return _parsed(value) if isinstance(value, str) else math.nan


def number_text(value: float) -> str:
    """A number as JavaScript prints it: `1`, `-0.5`, `1e+21`."""
    if isinstance(value, int) and abs(value) < 10**_WIDEST_PLAIN:
        return str(int(value))
    try:
        double = float(value)
    except OverflowError:
        double = math.inf if value > 0 else -math.inf
    if math.isnan(double):
        return "NaN"
    if math.isinf(double):
        return "Infinity" if double > 0 else "-Infinity"
    return _double_text(double)


def _double_text(value: float) -> str:
    if value == 0:
        return "0"
    sign, digits, exponent = _shortest(value)
    point = len(digits) + exponent
    if 0 < point <= _WIDEST_PLAIN:
        whole, part = digits[:point].ljust(point, "0"), digits[point:]
        return f"{sign}{whole}.{part}" if part else sign + whole
    if _NARROWEST_PLAIN < point - 1 < 0:
        return f"{sign}0.{'0' * -point}{digits}"
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{sign}{mantissa}e{point - 1:+d}"


def _shortest(value: float) -> tuple[str, str, int]:
    mantissa, _, power = repr(abs(value)).partition("e")
    whole, _, part = mantissa.partition(".")
    part = "" if part == "0" else part
    digits = (whole + part).lstrip("0")
    exponent = int(power or 0) - len(part)
    kept = digits.rstrip("0")
    return "-" if value < 0 else "", kept, exponent + len(digits) - len(kept)


def _parsed(text: str) -> int | float:
    trimmed = text.strip(SPACE)
    if not trimmed:
        return 0
    if trimmed in _INFINITY:
        return _INFINITY[trimmed]
    if radix := _RADIX.fullmatch(trimmed):
        sixteen, eight, two = radix.groups()
        return int(sixteen, 16) if sixteen else int(eight, 8) if eight else int(two, 2)
    return float(trimmed) if _DECIMAL.fullmatch(trimmed) else math.nan


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _units(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")
