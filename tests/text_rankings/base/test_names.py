"""Names: characters that are not shown, and names that look the same."""

import unicodedata

from tests.support.cases import cases
from text_rankings.base.names import has_unseen, look


@cases("char", [*"\0\t\n\x7f\x85\xad\u061c\u200b\u200d\u200e\u202e\u2028\u2060\u2066\u3164\ufeff"])
def test_a_character_that_is_not_shown_is_found_anywhere(char):
    assert all(has_unseen(name) for name in (char, f"EAST{char}", f"É{char}b"))


@cases("name", ["", "EAST 2", "Méthode n° 3", "方法", "شیوه ۲", "e\u0301", "𝔸", "☕"])
def test_names_in_any_script_are_shown(name):
    assert not has_unseen(name)


def test_no_character_that_python_prints_is_refused_except_blanks():
    # A second way: str.isprintable, which also excludes spaces, private and unassigned characters.
    printed = [chr(at) for at in range(0x110000) if chr(at).isprintable() and has_unseen(chr(at))]
    assert all("FILLER" in unicodedata.name(c) or c in "\u034f\u17b4\u17b5\u2800" for c in printed)


@cases(
    "other",
    [
        "east-2",
        "EÁST-2",
        "ＥＡＳＴ－２",
        "EAST\u20112",
        "\u0415\u0410\u0405\u0422-2",
        "EA\u017fT-2",
    ],
)
def test_names_that_look_the_same_have_one_key(other):
    assert look(other) == look("EAST-2")


@cases("other", ["EAST-3", "EAST 2", "EAST-", "FAST-2", ""])
def test_names_that_differ_have_different_keys(other):
    assert look(other) != look("EAST-2")
