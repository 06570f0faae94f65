"""Every sentence an agent reads through a port is constant, short and used (text:two-classes)."""

import re
from pathlib import Path

import pytest

from onefate.port import texts
from tests.guarantees import proves

pytestmark = proves("text:two-classes")

SENTENCES = {
    name: value
    for name, value in vars(texts).items()
    if name.isupper() and not name.startswith("_")
}
PACKAGE = Path(texts.__file__).parent


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence_is_constant_short_and_whole(name: str) -> None:
    sentence = SENTENCES[name]
    assert isinstance(sentence, str)
    assert sentence.isascii()
    assert 10 < len(sentence) <= 220
    assert sentence[0].isupper() or sentence.startswith(("evidence", "spec"))
    assert sentence.endswith(".")
    assert "{" not in sentence
    assert "  " not in sentence


def test_no_two_sentences_are_the_same() -> None:
    assert len(set(SENTENCES.values())) == len(SENTENCES)


def test_every_sentence_is_said_somewhere() -> None:
    said = "".join(path.read_text("utf-8") for path in PACKAGE.glob("*.py"))
    unused = [name for name in SENTENCES if not re.search(rf"texts\.{name}\b", said)]
    assert unused == []


def test_only_the_name_of_the_tool_is_ever_put_into_a_sentence() -> None:
    assert texts.how_to_settle("shop.did_it_work").count("shop.did_it_work") == 1
    assert "{" not in texts.how_to_settle("x")
