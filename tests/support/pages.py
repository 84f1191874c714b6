"""Pages as a reader sees them."""

import html
import re

# As people would read them; "none" and "None of ..." are words.
NOT_FOR_PEOPLE = re.compile(r"(?<![\w.’'-])(nan|NaN|inf|Infinity|None(?! was| of| is))(?![\w-])")


def flat(page: str) -> str:
    """Return HTML without whitespace inside of tags and at the ends of elements."""
    text = re.sub(r"\s+(?=/?>)", "", " ".join(page.split()))
    return re.sub(r"(<[a-z][^>]*>) | (?=</)", r"\1", text)


def as_read(page: str) -> str:
    """Return the words of a page, without its scripts, styles and tags."""
    text = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def assert_for_people(text: str, where: object) -> None:
    """Fail with the words around the first thing that people do not read."""
    found = NOT_FOR_PEOPLE.search(text)
    assert not found, (where, text[max(0, found.start() - 80) :][:160])
