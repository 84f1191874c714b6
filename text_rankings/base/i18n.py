"""Sentences that can be read in another language than English.

The pure packages know no site and no catalogue: they mark their sentences, and a program that shows them to
people may bring a translator. Commands bring none and speak English.

A sentence is a :class:`Message`: a str that knows the words it was made of and the values in them, so that
it can be stored in English and rendered for each reader.
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

    Parameters
    ----------
    words : str
        English, with names in braces; it is also the code.
    **values : str, int, float or Message
        They replace the names. A float is written as the language writes numbers.

    Examples
    --------
    >>> Message("{n} of {needed} annotators", n=1, needed=3)
    '1 of 3 annotators'
    """

    _msgid: str
    # Empty where nothing is counted.
    _plural: str
    _number: int
    _values: Mapping[str, Any]
    # The joined parts, if the words are a separator.
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
        """Return the message with further values for names in braces."""
        if places:
            raise TypeError("values have names")
        filled = {**self._values, **values}
        return self._made(self._msgid, self._plural, self._number, filled, None, self._is_read)

    def join(self, parts: Iterable[str], /) -> "Message":
        """Return parts with this message between them."""
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
    """Return words with values for the names in braces; other braces stay, as those of JSON."""

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
    """Return a message in the reader's language; any other text as it is.

    Parameters
    ----------
    text
        Texts stored before messages had codes are plain English.

    Examples
    --------
    >>> in_language(gettext_noop("{n} of {needed} annotators").format(n=1, needed=3))
    '1 of 3 annotators'
    """
    return text._in(True) if isinstance(text, Message) else text


def mapped(value: Any, change: Callable[[str], Any]) -> Any:
    """Return JSON-able data with every string among its values changed.

    Parameters
    ----------
    value
        Mappings, lists, strings and other values.
    change
        Called with each string; its result replaces it.

    Examples
    --------
    >>> mapped({"a": ["b", 1]}, str.upper)
    {'a': ['B', 1]}
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: mapped(each, change) for key, each in value.items()}
    return [mapped(each, change) for each in value] if isinstance(value, list | tuple) else value


def to_json(value: Any) -> Any:
    """Return JSON-able data with every message in it as its code and parameters.

    Examples
    --------
    >>> to_json([gettext_noop("{n} boxes").format(n=3)])
    [{'msgid': '{n} boxes', 'values': {'n': 3}}]
    """
    return mapped(value, lambda text: text.to_json() if isinstance(text, Message) else text)


def from_json(value: Any) -> Any:
    """Return the data of :func:`to_json` with its messages again.

    Examples
    --------
    >>> from_json([{"msgid": "{n} boxes", "values": {"n": 3}}])
    ['3 boxes']
    """
    if isinstance(value, dict):
        read = {key: from_json(each) for key, each in value.items()}
        return Message._made(**read) if "msgid" in read else read
    return [from_json(each) for each in value] if isinstance(value, list) else value


def gettext(words: str) -> str:
    """Return the words in the reader's language; names in braces are filled in afterwards.

    Parameters
    ----------
    words
        English, as they are in the code, or a message.

    Examples
    --------
    >>> gettext("Image {name} has no boxes.").format(name="img_1")
    'Image img_1 has no boxes.'
    """
    return Message(words)._in(True)


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return the words for this number of things in the reader's language.

    Parameters
    ----------
    singular, plural
        English, as they are in the code.
    number
        The number of things.

    Examples
    --------
    >>> ngettext("{n} image", "{n} images", 2).format(n=2)
    '2 images'
    """
    return Message._made(singular, plural, number, is_read=True)


def gettext_noop(words: str) -> str:
    """Return the words in English, to be stored or compared; :func:`in_language` renders them.

    Parameters
    ----------
    words
        English, as they are in the code.

    Examples
    --------
    >>> gettext_noop("it is in an {where}").format(where="ignored region")
    'it is in an ignored region'
    """
    return Message(words)


def ngettext_noop(singular: str, plural: str, number: int) -> str:
    """Return the English words for this number of things, filled in as {n}.

    Parameters
    ----------
    singular, plural
        English, as they are in the code.
    number
        The number of things.

    Examples
    --------
    >>> ngettext_noop("{n} image", "{n} images", 2)
    '2 images'
    """
    return Message._made(singular, plural, number, {"n": number})


def numeral(text: str) -> str:
    """Return a number that is written in English as the reader's language writes it.

    Parameters
    ----------
    text
        With a point before decimals and commas between thousands.

    Examples
    --------
    >>> numeral("0.50")
    '0.50'
    """
    return _reader.numeral(text)


def translate_by(
    one: Callable[[str], str],
    by_number: Callable[[str, str, int], str],
    numeral: Callable[[str], str] = str,
) -> None:
    """Let other functions say what gettext(), ngettext() and numeral() return.

    Parameters
    ----------
    one, by_number, numeral
        Called with the arguments of those at each call: a site asks there for the language of the
        request.

    Examples
    --------
    >>> translate_by(str.upper, lambda one, more, n: more)
    >>> gettext("left")
    'LEFT'
    >>> translate_by(str, lambda one, more, n: one if n == 1 else more)
    """
    _reader.one, _reader.by_number, _reader.numeral = one, by_number, numeral
