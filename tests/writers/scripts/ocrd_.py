"""OCR-D: PAGE with words and glyphs by its own model, and ALTO by page-to-alto."""

import subprocess
import sys
from pathlib import Path

from ocrd_models.ocrd_page import (
    CoordsType,
    GlyphType,
    MetadataType,
    PageType,
    PcGtsType,
    TextEquivType,
    TextLineType,
    TextRegionType,
    WordType,
    to_xml,
)

WORDS = {"EXIT": (10, 20, 110, 60), "STOP": (200, 20, 260, 50)}


def coords(left, top, right, bottom):
    return CoordsType(points=f"{left},{top} {right},{top} {right},{bottom} {left},{bottom}")


def text(said, index=None):
    return TextEquivType(Unicode=said, conf=0.9, index=index)


words = []
for said, (left, top, right, bottom) in WORDS.items():
    word = WordType(id=said, Coords=coords(left, top, right, bottom))
    word.add_Glyph(
        GlyphType(
            id=f"{said}_1", Coords=coords(left, top, left + 9, bottom), TextEquiv=[text(said[0])]
        )
    )
    # The text of the lowest index counts, wherever it is written.
    word.set_TextEquiv([text("other", 1), text(said, 0)])
    words.append(word)
line = TextLineType(
    id="l", Coords=coords(10, 20, 260, 60), Word=words, TextEquiv=[text("EXIT STOP")]
)
region = TextRegionType(id="r", Coords=coords(10, 20, 260, 60), TextLine=[line])
page = PageType(imageFilename="street.png", imageWidth=400, imageHeight=200, TextRegion=[region])
made = MetadataType(Creator="test", Created="2026-01-01T00:00:00", LastChange="2026-01-01T00:00:00")
Path("page").mkdir()
Path("alto").mkdir()
Path("page/street.xml").write_text(to_xml(PcGtsType(pcGtsId="p", Metadata=made, Page=page)))
program = Path(sys.executable).with_name("page-to-alto")
written = subprocess.run([program, "page/street.xml"], check=True, capture_output=True).stdout
Path("alto/street.xml").write_bytes(written)
