"""Numbers in the reader's language, and the filter that marks English sentences on other pages."""

from typing import Final

from django.template import Library
from django.utils.formats import get_format
from django.utils.html import format_html
from django.utils.translation import get_language

from rankings import rounding

# Filters available in every template.
register: Final = Library()


def numeral(text: str) -> str:
    """Convert a number from English notation to that of the reader's language."""
    separators = {",": get_format("THOUSAND_SEPARATOR"), ".": get_format("DECIMAL_SEPARATOR")}
    return text.translate(str.maketrans(separators))


def in_decimals(value: float, digits: int) -> str:
    """Return a number with this many decimals in the reader's language."""
    return numeral(rounding.in_decimals(value, digits))


@register.filter
def in_english(text: str) -> str:
    """Mark a stored sentence, or one of the libraries, as English on pages in other languages."""
    if not text or (get_language() or "en") == "en":
        return text
    return format_html('<span lang="en">{}</span>', text)
