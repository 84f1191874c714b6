"""The files of a figure; each states its origin, and equal figures give equal bytes."""

import io
import json
import re
import string
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from .figure import Figure
from .parts import drawing
from .themes import Paper

if TYPE_CHECKING:
    from pypdf.generic import DictionaryObject


def to_svg(figure: Figure, paper: Paper, facts: Mapping[str, str]) -> bytes:
    return _framed(figure, paper, facts, "mm").encode()


def _framed(figure: Figure, paper: Paper, facts: Mapping[str, str], unit: str = "") -> str:
    """Return a figure as SVG: in millimetres with its font, or in points to be converted."""
    drawn = draw(specification(figure, paper), paper.width_pt)
    wide, width = paper.width_pt, f"{paper.width_pt:.2f}"
    if unit:
        wide, width = paper.width_mm, f"{paper.width_mm}{unit}"
    long = wide * drawn.height_pt / drawn.width_pt
    box = f"{drawn.left_pt:.2f} {drawn.top_pt:.2f} {drawn.width_pt:.2f} {drawn.height_pt:.2f}"
    x, y, across, down = box.split()
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'version="1.1" role="img" width="{width}" height="{long:.2f}{unit}" viewBox="{box}">'
        f"<title>{_xml(figure.title)}</title><desc>{_xml(description(figure))}</desc>"
        f"<metadata>{_dublin_core(figure, facts)}</metadata>"
        f"{font_style(drawn.inside) if unit else ''}"
        f'<rect x="{x}" y="{y}" width="{across}" height="{down}" fill="{paper.theme.ground}"/>'
        f"{drawn.inside}</svg>\n"
    )


def _dublin_core(figure: Figure, facts: Mapping[str, str]) -> str:
    entries = {
        "title": figure.title,
        "date": facts.get("date", ""),
        "creator": facts.get("software", ""),
        "source": source(facts),
        "format": "image/svg+xml",
    }
    inside = "".join(f"<dc:{name}>{_xml(value)}</dc:{name}>" for name, value in entries.items())
    return (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Description rdf:about="">'
        f"{inside}</rdf:Description></rdf:RDF>"
    )


def _xml(text: str) -> str:
    return escape(printable(text), quote=False)


_OPENING: Final = re.compile(r"<svg [^>]*?viewBox=\"([^\"]*)\"[^>]*>")


@dataclass(frozen=True)
class Drawn:
    """An SVG without its frame, and its size in points."""

    inside: str
    width_pt: float
    height_pt: float
    left_pt: float
    top_pt: float


def specification(figure: Figure, paper: Paper) -> str:
    """Return the Vega-Lite specification as JSON; equal figures give equal text."""
    specified = _without_what_xml_refuses(drawing(figure, paper))
    return json.dumps(specified, sort_keys=True, allow_nan=False)


def _without_what_xml_refuses(part: Any) -> Any:
    """Replace characters that XML does not allow; one in a name would abort the whole process."""
    if isinstance(part, str):
        return printable(part)
    if isinstance(part, dict):
        return {key: _without_what_xml_refuses(value) for key, value in part.items()}
    return [_without_what_xml_refuses(value) for value in part] if isinstance(part, list) else part


# The formats of a figure are written one after the other.
@lru_cache(maxsize=4)
def draw(specified: str, width_pt: float) -> Drawn:
    """Return the drawing of a specification, for a paper of this width."""
    # Imported with the first figure, because its start takes half a second.
    import vl_convert

    svg = vl_convert.vegalite_to_svg(specified)
    opening = _OPENING.search(svg)
    if opening is None:
        raise ValueError(f"expected an SVG with a viewBox, got {svg[:80]!r}")
    left, top, width, height = map(float, opening[1].split())
    inside = svg[opening.end() : svg.rindex("</svg>")]
    # A narrower drawing is centred; a wider one is scaled down to the paper.
    space = max(0.0, width_pt - width)
    return Drawn(inside, width + space, height, left - space / 2, top)


# The font with which the drawing program measures text, from its distribution.
_FILE: Final = Path(__file__).with_name("fonts") / "LiberationSans-Regular.ttf"
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
    png = vl_convert.svg_to_png(_framed(figure, paper, {}), ppi=PIXELS_PER_INCH)
    stream = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        picture.save(stream, "PNG", pnginfo=texts, dpi=(PIXELS_PER_INCH, PIXELS_PER_INCH))
    return stream.getvalue()


def to_pdf(figure: Figure, paper: Paper, facts: Mapping[str, str]) -> bytes:
    """Return a PDF of one page, the size of the figure, with fonts and document information."""
    # Imported with the first figure, like the other drawing libraries.
    import vl_convert
    from pypdf import PdfReader, PdfWriter

    pdf = vl_convert.svg_to_pdf(_framed(figure, paper, {}))
    [page] = PdfReader(io.BytesIO(pdf)).pages
    _sort_resources(page)
    writer = PdfWriter()
    writer.add_page(page)
    writer.metadata = _information(figure, facts)
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def _information(figure: Figure, facts: Mapping[str, str]) -> dict[str, str]:
    information = {
        "/Title": figure.title,
        "/Subject": description(figure),
        "/Keywords": source(facts),
        "/Creator": facts.get("software", ""),
    }
    day = facts.get("date", "").replace("-", "")
    if re.fullmatch(r"\d{8}", day):
        information["/CreationDate"] = f"D:{day}"
    return {name: printable(text) for name, text in information.items()}


def _sort_resources(drawn: "DictionaryObject") -> None:
    """Sort the resources of a page, or of a form on it.

    The drawing program lists them in a different order each time, and objects are numbered in that
    order. Sorting makes equal figures give equal bytes.
    """
    if "/Resources" not in drawn:
        return
    resources = cast("DictionaryObject", drawn["/Resources"])
    for kind in resources:
        entries = resources[kind]
        if isinstance(entries, dict):
            in_order = sorted(entries.items())
            entries.clear()
            entries.update(in_order)
    if "/XObject" in resources:
        forms = cast("DictionaryObject", resources["/XObject"])
        for name in forms:
            _sort_resources(cast("DictionaryObject", forms[name]))


# Characters that XML does not allow, not even escaped.
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def description(figure: Figure) -> str:
    return " ".join(filter(None, (figure.caption, figure.summary, *figure.notes)))


def source(facts: Mapping[str, str]) -> str:
    """Return the facts about a figure's origin in one line."""
    return "; ".join(f"{name}: {value}" for name, value in facts.items())


def printable(text: str) -> str:
    """Return the text with U+FFFD in place of each character that XML does not allow."""
    return _NOT_XML.sub("\ufffd", text)


@dataclass(frozen=True)
class Format:
    label: str
    content_type: str
    write: Callable[[Figure, Paper, Mapping[str, str]], bytes]


FORMATS: Final[Mapping[str, Format]] = {
    "svg": Format("SVG", "image/svg+xml", to_svg),
    "png": Format("PNG", "image/png", to_png),
    "pdf": Format("PDF", "application/pdf", to_pdf),
}
