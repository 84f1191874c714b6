"""Messages are English strings that can be rendered in another language."""

import copy
import pickle

import pytest

from text_rankings.base import i18n
from text_rankings.base.i18n import (
    Message,
    from_json,
    gettext,
    gettext_noop,
    in_language,
    ngettext_noop,
    to_json,
    translate_by,
)

FRENCH = {
    "{place}: found {found}": "{place} : trouvé {found}",
    "{n} line": "{n} ligne",
    "{n} lines": "{n} lignes",
    "an empty file": "un fichier vide",
    " or ": " ou ",
    "below {share:.2f}": "sous {share:.2f}",
}


@pytest.fixture
def french(monkeypatch):
    monkeypatch.setattr(i18n, "_reader", copy.copy(i18n._reader))
    translate_by(
        lambda words: FRENCH.get(words, words),
        lambda one, more, n: FRENCH[one] if n < 2 else FRENCH[more],
        lambda number: number.replace(".", ","),
    )


MESSAGES = [
    (Message("an empty file"), "an empty file", "un fichier vide"),
    (ngettext_noop("{n} line", "{n} lines", 0), "0 lines", "0 ligne"),
    # Values that are messages are rendered too; a name that reads like one is not.
    (
        Message("{place}: found {found}", place="an empty file", found=Message("an empty file")),
        "an empty file: found an empty file",
        "an empty file : trouvé un fichier vide",
    ),
    (Message("below {share:.2f}", share=0.5), "below 0.50", "sous 0,50"),
    (Message(" or ").join(["a", Message("an empty file")]), "a or an empty file", "a ou un fichier vide"),
    (Message('{"a": {n}}', n=1), '{"a": 1}', '{"a": 1}'),
    (Message("{no_value} {n}", n="{place}"), "{no_value} {place}", "{no_value} {place}"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "english", "said"), MESSAGES)
def test_a_message_is_english_and_rendered_for_its_reader(french, message, english, said):
    assert message == english
    assert in_language(message) == said


@pytest.mark.parametrize(("message", "english", "said"), MESSAGES)
def test_a_message_comes_back_from_json(french, message, english, said):
    again = from_json(to_json({"a": [message]}))["a"][0]
    assert (again, in_language(again)) == (english, said)


def test_plain_text_stays_as_it_is(french):
    assert in_language("an empty file") == "an empty file"
    assert from_json(to_json(["an empty file"])) == ["an empty file"]


def test_words_in_the_language_of_the_reader_are_a_message_too(french):
    said = gettext("{place}: found {found}").format(place="a.zip", found=Message("an empty file"))
    assert said == "a.zip : trouvé un fichier vide"
    assert from_json(to_json(said)) == "a.zip: found an empty file"
    # A process or a copy keeps its language.
    assert pickle.loads(pickle.dumps(said)) == copy.deepcopy(said) == said


def test_an_exception_keeps_its_message(french):
    assert in_language(str(ValueError(Message("an empty file")))) == "un fichier vide"


def test_values_have_names():
    with pytest.raises(TypeError):
        gettext_noop("{place}: found {found}").format("a.zip")
