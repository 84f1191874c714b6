"""The font embedded in a figure's SVG, reduced to the characters it needs."""

import io
import re
import string
from base64 import b64encode
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Final

# The font with which the drawing program measures text, from its distribution.
_FILE: Final = Path(__file__).parents[1] / "fonts" / "LiberationSans-Regular.ttf"
# Embedded for every figure with text, so that most figures share the same subset of the font.
_USUAL: Final = frozenset(string.ascii_letters + string.digits + string.punctuation + " –−…")
_TEXT: Final = re.compile(r"<text [^>]*>([^<]*)</text>")


def font_style(svg: str) -> str:
    """Return a style element with the font for an SVG's texts; empty if it has no text.

    Characters missing from the font are left to the reader's fonts.
    """
    letters = frozenset(unescape("".join(_TEXT.findall(svg))))
    return _style(letters | _USUAL) if letters else ""


@lru_cache(maxsize=8)
def _style(letters: frozenset[str]) -> str:
    # Imported with the first figure, like the drawing libraries.
    from fontTools import subset
    from fontTools.ttLib import TTFont

    font = TTFont(_FILE, recalcTimestamp=False)
    options = subset.Options(
        flavor="woff", layout_features=["kern"], hinting=False, notdef_outline=True
    )
    # This table holds a time stamp of the font's editor.
    options.drop_tables = [*options.drop_tables, "FFTM"]
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(sorted(letters)))
    cutter.subset(font)
    stream = io.BytesIO()
    font.flavor = "woff"
    font.save(stream)
    data = b64encode(stream.getvalue()).decode()
    return (
        '<style>@font-face{font-family:"Liberation Sans";'
        f'src:url(data:font/woff;base64,{data}) format("woff")}}</style>'
    )
