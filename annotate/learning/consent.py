"""Wordings of the consent before the first pair. A changed wording gets a new version."""

from typing import Final

VERSION: Final = "1"
TEXTS: Final = {
    VERSION: (
        "I have read what this study is and what is stored. I take part of my own free will, "
        "and I know that I can stop at any time."
    ),
}
