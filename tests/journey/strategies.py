"""Values of every kind that can reach the pure rules."""

from collections.abc import Mapping

from hypothesis import strategies as st

SURROGATES = st.text(st.characters(), max_size=5)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(10**30), max_value=10**30)
    | st.floats()
    | st.text(max_size=12)
    | SURROGATES
    | st.sampled_from(["", " ", "0", "1e3", "0x1f", "Infinity", "\ud83e", "\U0001f9ea"])
)
JSON_VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(SURROGATES, inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(["a", "b", "c.d", "\u00e9"])
STATES = st.dictionaries(KEYS, JSON_VALUES, max_size=4)
TESTS: st.SearchStrategy[Mapping[str, object]] = st.dictionaries(
    st.sampled_from(["eq", "ne", "gt", "gte", "lt", "lte"]), JSON_VALUES, min_size=1, max_size=3
) | st.dictionaries(
    st.sampled_from(["in", "notIn"]), st.lists(JSON_VALUES, max_size=4), min_size=1, max_size=2
)
FILTERS = st.dictionaries(KEYS, TESTS, min_size=1, max_size=3)


def deep(levels: int) -> object:
    """A list in a list in a list."""
    value: object = "bottom"
    for level in range(levels):
        value = [value] if level % 2 else {"in": value}
    return value
