"""Sentences that were stored in English, told again in the reader's language.

Workers write what they do, found or could not do in English, and so it is stored. Here such a sentence is
recognised by the words of the catalogue it was made of, and its values are put into their translation.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from django.template import Library
from django.utils.formats import get_format
from django.utils.html import format_html
from django.utils.translation import get_language, gettext, ngettext

from protocols.formats.problems import quoted

# Filters of every template.
register: Final = Library()
_LOCALE: Final = Path(__file__).parent / "locale"
# Braces that hold JSON are no place.
_PLACE: Final = re.compile(r"\{([a-z]\w*)(?::[^{}]*)?\}")
# Places of words of the site, be it one word.
_SENTENCES: Final = {
    *("found", "expected", "reason", "action", "units", "recall", "precision"),
}
# A hint may be missing, and stands in brackets; a number is one.
_SHAPES: Final = {"hint": r"(?: \(.*\))?", "n": r"-?\d[\d.,]*"}
_DECIMAL: Final = re.compile(r"-?\d+\.\d+")
# img_1 to img_233; x,y, then a text; “x” in “0,0,x”; 4 numbers (left,top,right,bottom); a sentence that ends.
_RANGE: Final = re.compile(r"((\D*)\d+(\D*)) to (\2\d+\3)")
_NOTED: Final = re.compile(r"(\S+)(, .+)")
_WITHIN: Final = re.compile("(.+) in (“[^“”]*”)")
_ENDED: Final = re.compile(r"(.+?)( \([^()]*\)|\.)")
_QUOTED: Final = re.compile("“([^“”]*)”")
# Fewer letters of its own would be in many a sentence.
_FEWEST: Final = 4
_LONGEST: Final = 2000
# Sentences in sentences; a text that somebody made up could go on for ever.
_DEEPEST: Final = 6


@register.filter
def told(sentence: str) -> str:
    """Return a stored sentence in the reader's language; marked as English where it is not known."""
    again = retold(str(sentence))
    if again is None:
        return format_html('<span lang="en">{}</span>', sentence)
    return again


@register.filter
def told_plainly(sentence: str) -> str:
    """Return a stored sentence in the reader's language, or as it is stored."""
    again = retold(str(sentence))
    return str(sentence) if again is None else again


def retold(sentence: str) -> str | None:
    """Return a stored sentence in the reader's language; None where it is made of no known words."""
    language = get_language() or "en"
    if language == "en" or not sentence:
        return sentence
    return _retold(sentence, language)


def quotation(text: str) -> str:
    """Return a name of somebody's own in the quotation marks of the reader's language."""
    return _value(quoted(text), get_language() or "en")


@lru_cache(maxsize=4096)
def _retold(sentence: str, language: str, depth: int = 0) -> str | None:
    words = _words(language)
    if sentence in words.plain:
        return gettext(sentence)
    if len(sentence) > _LONGEST or depth > _DEEPEST:
        return None
    for form in words.forms:
        if form.fits(sentence) and (found := form.pattern.fullmatch(sentence)):
            return _filled(form, found.groupdict(), language, depth + 1)
    return _retold_by_parts(sentence, language, depth + 1)


def _retold_by_parts(sentence: str, language: str, depth: int) -> str | None:
    """Tell again what is put together of known words: one after another, or with a place or an example."""
    if _QUOTED.fullmatch(sentence):
        return _value(sentence, language)
    if "; " in sentence:
        parts = [_retold(part, language, depth) for part in sentence.split("; ")]
        known = [part for part in parts if part is not None]
        return gettext("; ").join(known) if len(known) == len(parts) else None
    if found := _RANGE.fullmatch(sentence):
        return gettext("{first} to {last}").format(first=found[1], last=found[4])
    if (found := _NOTED.fullmatch(sentence)) and found[2] in _words(language).plain:
        return found[1] + gettext(found[2])
    if " or " in sentence:
        parts = [_retold(part, language, depth) for part in sentence.split(" or ", 1)]
        if None not in parts:
            return gettext("{first} or {last}").format(first=parts[0], last=parts[1])
    if found := _WITHIN.fullmatch(sentence):
        what, text = (_value(part, language, depth) for part in found.groups())
        return gettext("{what} in {text}").format(what=what, text=text)
    if found := _ENDED.fullmatch(sentence):
        again, end = _retold(found[1], language, depth), found[2]
        if end.startswith(" ("):
            end = f" ({_value(end[2:-1], language, depth)})"
        return None if again is None else again + end
    return None


def _filled(form: "_Form", values: dict[str, str], language: str, depth: int) -> str:
    """Put values into the translation; those that are words of the site are told again too."""
    number = next(
        (int(values[name]) for name in form.counts if values.get(name, "").isdecimal()), 2
    )
    words = ngettext(form.singular, form.plural, number) if form.plural else gettext(form.singular)
    return _PLACE.sub(lambda place: _value(values[place[1]], language, depth, place[1]), words)


def _value(value: str, language: str, depth: int = 0, name: str = "") -> str:
    if quote := _QUOTED.fullmatch(value):
        return gettext("“{words}”").format(words=quote[1])
    if _DECIMAL.fullmatch(value):
        return value.replace(".", get_format("DECIMAL_SEPARATOR"))
    # A single word may be anybody's name.
    is_known = name in _SENTENCES or " " in value
    again = _retold(value, language, depth) if is_known else None
    return value if again is None else again


@dataclass(frozen=True, slots=True)
class _Form:
    """Words with places for values."""

    words: str
    pattern: re.Pattern[str]
    # What stands between the values, and the longest of it, to pass most sentences over at once.
    parts: tuple[str, ...]
    longest: str
    singular: str
    # Empty where nothing is counted.
    plural: str

    def fits(self, sentence: str) -> bool:
        """Say whether the parts stand in a sentence in their order, which takes the pattern long to deny."""
        if self.longest not in sentence or not sentence.startswith(self.parts[0]):
            return False
        at = len(self.parts[0])
        for part in self.parts[1:-1]:
            at = sentence.find(part, at)
            if at < 0:
                return False
            at += len(part)
        return sentence.endswith(self.parts[-1]) and at <= len(sentence) - len(self.parts[-1])

    @property
    def counts(self) -> list[str]:
        return _PLACE.findall(self.plural)


@dataclass(frozen=True, slots=True)
class _Words:
    plain: frozenset[str]
    # Those with most words of their own first.
    forms: tuple[_Form, ...]


@cache
def _words(language: str) -> _Words:
    ids = list(_ids(language))
    made = [
        _form(words, *one.split("\0"))
        for one in ids
        for words in one.split("\0")
        if _PLACE.search(words)
    ]
    plain = frozenset(one for one in ids if "\0" not in one and not _PLACE.search(one))
    forms = [form for form in made if _n_own(form) >= _FEWEST]
    return _Words(plain, tuple(sorted(forms, key=lambda form: (-_n_own(form), -len(form.words)))))


def _n_own(form: _Form) -> int:
    """Return how many letters its own words have."""
    return sum(map(str.isalpha, _PLACE.sub("", form.words)))


def _form(words: str, singular: str, plural: str = "") -> _Form:
    pattern, parts, seen, at = "", [""], set[str](), 0
    for place in _PLACE.finditer(words):
        parts.append(words[at : place.start()])
        name, at = place[1], place.end()
        pattern += re.escape(parts[-1]) + (
            f"(?P={name})" if name in seen else f"(?P<{name}>{_SHAPES.get(name, '.+?')})"
        )
        seen.add(name)
    parts.append(words[at:])
    compiled = re.compile(pattern + re.escape(parts[-1]), re.DOTALL)
    return _Form(words, compiled, tuple(parts), max(parts, key=len), singular, plural)


def _ids(language: str) -> Iterator[str]:
    """Yield what a compiled catalogue translates; of what is counted one and many, after each other.

    Python's own reader forgets how English counts many.
    """
    content = (_LOCALE / language / "LC_MESSAGES" / "django.mo").read_bytes()
    _magic, _version, n, start = struct.unpack("<4I", content[:16])
    for at in range(start, start + 8 * n, 8):
        length, where = struct.unpack("<2I", content[at : at + 8])
        identifier = content[where : where + length].decode()
        # What has a context is a word of a page, and no stored sentence.
        if identifier and "\4" not in identifier and "%(" not in identifier:
            yield identifier
