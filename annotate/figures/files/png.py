"""A figure as PNG."""

import io
from collections.abc import Mapping
from typing import Final

from ..figure import Figure
from ..themes import Paper
from .about import description, printable, source
from .svg import framed

PIXELS_PER_INCH: Final = 300


def to_png(figure: Figure, paper: Paper, facts: Mapping[str, str]) -> bytes:
    """Return the figure at 300 pixels per inch, with its description as text chunks."""
    # Imported with the first figure, like the other drawing libraries.
    import vl_convert
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    texts = PngInfo()
    for keyword, text in (
        ("Title", figure.title),
        ("Description", description(figure)),
        ("Software", facts.get("software", "")),
        ("Source", source(facts)),
    ):
        texts.add_itxt(keyword, printable(text))
    svg = framed(figure, paper, {}, f"{paper.width_pt:.2f}", "")
    png = vl_convert.svg_to_png(svg, ppi=PIXELS_PER_INCH)
    stream = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        picture.save(stream, "PNG", pnginfo=texts, dpi=(PIXELS_PER_INCH, PIXELS_PER_INCH))
    return stream.getvalue()
