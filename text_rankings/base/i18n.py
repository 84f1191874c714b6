"""Sentences that somebody may read in another language than English.

The pure packages know no site and no catalogue: they mark what they say, and whoever shows it to people
may bring a translator. Commands bring none, and speak English.

What is computed may be stored, and read by people of several languages. It is in English always:
:func:`gettext_noop` marks its words, by which :func:`retold` says them again to whoever reads them.
"""

from collections.abc import Callable


class _Translator:
    def __init__(self) -> None:
        self.one: Callable[[str], str] = str
        self.by_number: Callable[[str, str, int], str] = _english
        self.numeral: Callable[[str], str] = str
        self.stored: Callable[[str], str] = str


def _english(singular: str, plural: str, number: int) -> str:
    return singular if number == 1 else plural


_translator = _Translator()


def gettext(words: str) -> str:
    """Return the words in the reader's language; names in braces are filled in afterwards.

    Parameters
    ----------
    words
        English, as they stand in the code.

    Examples
    --------
    >>> gettext("Image {name} has no boxes.").format(name="img_1")
    'Image img_1 has no boxes.'
    """
    return _translator.one(words)


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return the words for this number of things in the reader's language.

    Parameters
    ----------
    singular, plural
        English, as they stand in the code.
    number
        How many things are spoken of.

    Examples
    --------
    >>> ngettext("{n} image", "{n} images", 2).format(n=2)
    '2 images'
    """
    return _translator.by_number(singular, plural, number)


def gettext_noop(words: str) -> str:
    """Return the words as they are, English: they are stored or compared, and told again when shown.

    Parameters
    ----------
    words
        English, as they stand in the code.

    Examples
    --------
    >>> gettext_noop("it lies in an {where}").format(where="ignored region")
    'it lies in an ignored region'
    """
    return words


def ngettext_noop(singular: str, plural: str, number: int) -> str:
    """Return the English words for this number of things, filled in as {n}; told again when shown.

    Parameters
    ----------
    singular, plural
        English, as they stand in the code.
    number
        How many things are spoken of.

    Examples
    --------
    >>> ngettext_noop("{n} image", "{n} images", 2)
    '2 images'
    """
    return _english(singular, plural, number).format(n=number)


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
    return _translator.numeral(text)


def retold(text: str) -> str:
    """Return what was stored in English in the reader's language; what nobody knows as it is.

    Parameters
    ----------
    text
        English, made of the words of a gettext_noop().

    Examples
    --------
    >>> retold(gettext_noop("{n} of {needed} annotators").format(n=1, needed=3))
    '1 of 3 annotators'
    """
    return _translator.stored(text)


def translate_by(
    one: Callable[[str], str],
    by_number: Callable[[str, str, int], str],
    numeral: Callable[[str], str] = str,
    stored: Callable[[str], str] = str,
) -> None:
    """Let other functions say what gettext(), ngettext(), numeral() and retold() return.

    Parameters
    ----------
    one, by_number, numeral, stored
        Called with the arguments of those, each time anew: a site asks there for the language of the
        request.

    Examples
    --------
    >>> translate_by(str.upper, lambda one, more, n: more)
    >>> gettext("left")
    'LEFT'
    >>> translate_by(str, lambda one, more, n: one if n == 1 else more)
    """
    _translator.one, _translator.by_number = one, by_number
    _translator.numeral, _translator.stored = numeral, stored
