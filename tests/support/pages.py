"""Pages as a reader sees them."""

import re


def flat(html: str) -> str:
    """Return HTML without whitespace inside of tags and at the ends of elements."""
    text = re.sub(r"\s+(?=/?>)", "", " ".join(html.split()))
    return re.sub(r"(<[a-z][^>]*>) | (?=</)", r"\1", text)
