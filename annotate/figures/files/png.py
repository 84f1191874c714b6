"""A figure as PNG."""

import struct
import zlib
from collections.abc import Mapping
from typing import Final

from ..figure import Figure
from ..papers import Paper
from .about import description, printable, source
from .svg import framed

PIXELS_PER_INCH: Final = 300


def to_png(figure: Figure, paper: Paper, facts: Mapping[str, str]) -> bytes:
    """Return the figure at 300 pixels per inch, with what it says of itself as text chunks."""
    import vl_convert

    svg = framed(figure, paper, {}, f"{paper.width_pt:.2f}", "")
    png = vl_convert.svg_to_png(svg, ppi=PIXELS_PER_INCH)
    texts = {
        "Title": figure.title,
        "Description": description(figure),
        "Software": facts.get("software", ""),
        "Source": source(facts),
    }
    # After the signature (8 bytes) and the header chunk (25).
    return png[:33] + b"".join(_text_chunk(*item) for item in texts.items()) + png[33:]


def _text_chunk(keyword: str, text: str) -> bytes:
    """Return an iTXt chunk: not compressed, no language, UTF-8."""
    body = keyword.encode() + b"\0\0\0\0\0" + printable(text).encode()
    chunk = b"iTXt" + body
    return struct.pack(">I", len(body)) + chunk + struct.pack(">I", zlib.crc32(chunk))
