"""Whatever stands in a map, it compiles or is refused by a MapError; nothing else comes out."""

from collections.abc import Iterator
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from onefate.broker.journey import MapError, compile_map, detached
from onefate.broker.journey.values import is_list, is_object
from tests.guarantees import proves
from tests.journey.maps import CLINIC
from tests.journey.strategies import JSON_VALUES

pytestmark = proves("answer:absent-not-filled")

Place = tuple[object, ...]
JUNK = JSON_VALUES | st.sampled_from([object(), len, b"x", {5: 1}, {"a": {"eq": 1}}, 10**400])


def places(part: object, here: Place = ()) -> Iterator[Place]:
    """The way to every member of a definition."""
    members = part.items() if is_object(part) else enumerate(part) if is_list(part) else ()
    for key, member in members:
        yield (*here, key)
        yield from places(member, (*here, key))


def spoiled(part: object, place: Place, junk: object) -> object:
    """The definition with something else at one place."""
    if not place:
        return junk
    first, rest = place[0], place[1:]
    if is_object(part):
        return {k: spoiled(v, rest, junk) if k == first else v for k, v in part.items()}
    assert is_list(part)
    return [spoiled(v, rest, junk) if at == first else v for at, v in enumerate(part)]


def renamed(part: object, place: Place, name: object) -> object:
    """The definition with one key called otherwise."""
    first, rest = place[0], place[1:]
    if is_object(part):
        return {
            (name if k == first and not rest else k): renamed(v, rest, name)
            if k == first and rest
            else v
            for k, v in part.items()
        }
    return part


PLACES = st.sampled_from([*places(CLINIC)])


def compiles_or_refuses(definition: object) -> None:
    with suppress(MapError):
        assert is_object(definition)
        compile_map(
            "clinic", {key: part for key, part in definition.items() if isinstance(key, str)}
        )


@given(place=PLACES, junk=JUNK)
def test_anything_anywhere(place: Place, junk: object) -> None:
    compiles_or_refuses(spoiled(detached(CLINIC), place, junk))


@given(place=PLACES, name=st.text(max_size=3) | st.sampled_from([5, None, ("a",)]))
def test_any_name_anywhere(place: Place, name: object) -> None:
    compiles_or_refuses(renamed(detached(CLINIC), place, name))
