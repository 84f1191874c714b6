"""Sentences that can be rendered in languages other than English.

The pure packages know no site and no catalogue: they mark their sentences, and a program that shows
them to people may provide a translator. Commands provide none and use English.

A sentence is a :class:`Message`: a str that knows its template and the values in it, so that it can
be stored in English and rendered for each reader.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

_PLACE: Final = re.compile(r"\{(\w+)(?::[^{}]*)?\}")


class _Translator:
    def __init__(self) -> None:
        self.one: Callable[[str], str] = str
        self.by_number: Callable[[str, str, int], str] = _english
        self.numeral: Callable[[str], str] = str


def _english(singular: str, plural: str, number: int) -> str:
    return singular if number == 1 else plural


_ENGLISH = _Translator()
_reader = _Translator()


class Message(str):
    """A sentence in one language that can be rendered in others; a str everywhere else.

    ``words`` are English, with names in braces, and the key of the message; values replace the
    names, floats as the language formats them.
    """

    _msgid: str
    # Empty if nothing is counted.
    _plural: str
    _number: int
    _values: Mapping[str, Any]
    # The parts to join, if the words are a separator; otherwise None.
    _parts: list[str] | None
    # Whether it is in the reader's language, and not in English.
    _is_read: bool

    def __new__(cls, words: str, /, **values: object) -> "Message":
        if isinstance(words, Message):
            return words.format(**values) if values else words
        return cls._made(words, values=values)

    @classmethod
    def _made(
        cls,
        msgid: str,
        plural: str = "",
        number: int = 0,
        values: Mapping[str, Any] | None = None,
        parts: list[str] | None = None,
        is_read: bool = False,
    ) -> "Message":
        translator = _reader if is_read else _ENGLISH
        wanted = set(_PLACE.findall(msgid + plural))
        values = {name: _plain(of) for name, of in (values or {}).items() if name in wanted}
        words = translator.by_number(msgid, plural, number) if plural else translator.one(msgid)
        if parts is not None:
            words = words.join(_rendered(part, "", is_read) for part in parts)
        elif values:
            words = _filled(words, values, is_read)
        made = str.__new__(cls, words)
        made._msgid, made._plural, made._number = msgid, plural, number
        made._values, made._parts, made._is_read = values, parts, is_read
        return made

    def _in(self, is_read: bool) -> "Message":
        return self._made(
            self._msgid, self._plural, self._number, self._values, self._parts, is_read
        )

    def __str__(self) -> str:
        # The message of an exception stays a Message.
        return self

    def format(self, *places: object, **values: object) -> "Message":
        """Return the message with more of its placeholders filled in."""
        if places:
            raise TypeError("values have names")
        filled = {**self._values, **values}
        return self._made(self._msgid, self._plural, self._number, filled, None, self._is_read)

    def join(self, parts: Iterable[str], /) -> "Message":
        """Join parts, with this message as the separator."""
        return self._made(self._msgid, parts=list(parts), is_read=self._is_read)

    def to_json(self) -> dict[str, Any]:
        """Return the code and the parameters as JSON-able data."""
        data = {
            "msgid": self._msgid,
            "plural": self._plural,
            "number": self._number,
            "values": to_json(self._values),
            "parts": to_json(self._parts),
        }
        return {name: value for name, value in data.items() if value or name == "msgid"}


def _plain(value: object) -> str | int | float:
    return value if isinstance(value, str | int | float) else str(value)


def _filled(words: str, values: Mapping[str, Any], is_read: bool) -> str:
    """Replace names in braces by their values; other braces, such as those of JSON, stay."""

    def fill(place: re.Match[str]) -> str:
        name, _, spec = place[0][1:-1].partition(":")
        return _rendered(values[name], spec, is_read) if name in values else place[0]

    return _PLACE.sub(fill, words)


def _rendered(value: Any, spec: str, is_read: bool) -> str:
    if isinstance(value, Message):
        return str(value._in(is_read))
    written = format(value, spec)
    return numeral(written) if is_read and isinstance(value, int | float) else written


def in_language(text: str) -> str:
    """Return a message in the reader's language, or any other text unchanged.

    Texts stored before messages had codes are plain English.
    """
    return text._in(True) if isinstance(text, Message) else text


def mapped(value: Any, change: Callable[[str], Any]) -> Any:
    """Return JSON-able data with every string among its values changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: mapped(each, change) for key, each in value.items()}
    return [mapped(each, change) for each in value] if isinstance(value, list | tuple) else value


def to_json(value: Any) -> Any:
    """Return JSON-able data with every message in it as its code and parameters."""
    return mapped(value, lambda text: text.to_json() if isinstance(text, Message) else text)


def from_json(value: Any) -> Any:
    """Restore the messages in data from :func:`to_json`."""
    if isinstance(value, dict):
        read = {key: from_json(each) for key, each in value.items()}
        return Message._made(**read) if "msgid" in read else read
    return [from_json(each) for each in value] if isinstance(value, list) else value


def gettext(words: str) -> str:
    """Return English words in the reader's language; names in braces are filled in afterwards."""
    return Message(words)._in(True)


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return the words for this number of things in the reader's language."""
    return Message._made(singular, plural, number, is_read=True)


def gettext_noop(words: str) -> str:
    """Return the words in English, to be stored or compared; :func:`in_language` renders them."""
    return Message(words)


def ngettext_noop(singular: str, plural: str, number: int) -> str:
    """Return the English words for this number of things, filled in as {n}."""
    return Message._made(singular, plural, number, {"n": number})


def numeral(text: str) -> str:
    """Convert a number in English notation to that of the reader's language."""
    return _reader.numeral(text)


def translate_by(
    one: Callable[[str], str],
    by_number: Callable[[str, str, int], str],
    numeral: Callable[[str], str] = str,
) -> None:
    """Set the functions that implement gettext(), ngettext() and numeral().

    They are called each time, so that a site can use the language of the request.
    """
    _reader.one, _reader.by_number, _reader.numeral = one, by_number, numeral
