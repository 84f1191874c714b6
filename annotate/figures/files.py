"""A figure as SVG, PNG or PDF that says where it comes from; equal figures give equal bytes."""

import json
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any, Final

import vl_convert
from altair.utils.schemapi import debug_mode

from .drawings import Figure, drawing
from .font import font_style
from .papers import POINTS_PER_MM, Paper

PIXELS_PER_INCH: Final = 300
_OPENING: Final = re.compile(r"<svg [^>]*?viewBox=\"([^\"]*)\"[^>]*>")
_RESOURCES: Final = re.compile(rb"(?:^ +/[a-z]{2}\d+ [^\n]*\n){2,}", re.MULTILINE)
# XML has no place for these, not even escaped.
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True)
class Drawn:
    """An SVG without its frame, and its size in points."""

    inside: str
    width_pt: float
    height_pt: float
    left_pt: float
    top_pt: float


@dataclass(frozen=True)
class Format:
    label: str
    content_type: str
    write: Callable[[Figure, Paper, Mapping[str, str]], bytes]


def specification(figure: Figure, paper: Paper) -> str:
    """Return the Vega-Lite specification as JSON; equal figures give equal text."""
    # Altair checks each part against its schema, which takes longer than drawing; the tests check.
    with debug_mode(False):
        specified = _without_what_xml_refuses(drawing(figure, paper).to_dict(validate=False))
    return json.dumps(specified, sort_keys=True, allow_nan=False)


def _without_what_xml_refuses(part: Any) -> Any:
    """Return the same data; one such letter in a name would abort the process, not only the drawing."""
    if isinstance(part, str):
        return _NOT_XML.sub("\ufffd", part)
    if isinstance(part, dict):
        return {key: _without_what_xml_refuses(value) for key, value in part.items()}
    return [_without_what_xml_refuses(value) for value in part] if isinstance(part, list) else part


def size_pt(figure: Figure, paper: Paper) -> tuple[float, float]:
    drawn = _drawn(specification(figure, paper), paper.width_pt)
    return drawn.width_pt, drawn.height_pt


# A page asks for the size of each figure just before its reader's browser asks for the figure.
@lru_cache(maxsize=128)
def _drawn(specified: str, width_pt: float) -> Drawn:
    svg = vl_convert.vegalite_to_svg(specified)
    opening = _OPENING.search(svg)
    if opening is None:
        raise ValueError(f"expected an SVG with a viewBox, got {svg[:80]!r}")
    left, top, width, height = map(float, opening[1].split())
    inside = svg[opening.end() : svg.rindex("</svg>")]
    # A narrower drawing stands in the middle; a wider one is scaled down to the paper.
    space = max(0.0, width_pt - width)
    return Drawn(inside, width + space, height, left - space / 2, top)


def to_svg(figure: Figure, paper: Paper, facts: Mapping[str, str]) -> bytes:
    return _svg(figure, paper, facts, f"{paper.width_mm}mm", "mm", has_font=True).encode()


def _svg(
    figure: Figure,
    paper: Paper,
    facts: Mapping[str, str],
    width: str,
    unit: str,
    *,
    has_font: bool = False,
) -> str:
    drawn = _drawn(specification(figure, paper), paper.width_pt)
    long = {"mm": paper.width_mm, "": paper.width_pt}[unit] * drawn.height_pt / drawn.width_pt
    box = f"{drawn.left_pt:.2f} {drawn.top_pt:.2f} {drawn.width_pt:.2f} {drawn.height_pt:.2f}"
    x, y, across, down = box.split()
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'version="1.1" role="img" width="{width}" height="{long:.2f}{unit}" viewBox="{box}">'
        f"<title>{_xml(figure.title)}</title><desc>{_xml(_description(figure))}</desc>"
        f"<metadata>{_dublin_core(figure, facts)}</metadata>"
        f"{font_style(drawn.inside) if has_font else ''}"
        f'<rect x="{x}" y="{y}" width="{across}" height="{down}" fill="{paper.theme.ground}"/>'
        f"{drawn.inside}</svg>\n"
    )


def _description(figure: Figure) -> str:
    return " ".join(filter(None, (figure.caption, figure.summary, *figure.notes)))


def _dublin_core(figure: Figure, facts: Mapping[str, str]) -> str:
    described = "; ".join(f"{name}: {value}" for name, value in facts.items())
    entries = {
        "title": figure.title,
        "date": facts.get("date", ""),
        "creator": facts.get("software", ""),
        "source": described,
        "format": "image/svg+xml",
    }
    inside = "".join(f"<dc:{name}>{_xml(value)}</dc:{name}>" for name, value in entries.items())
    return (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Description rdf:about="">'
        f"{inside}</rdf:Description></rdf:RDF>"
    )


def _xml(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text), quote=False)


def to_png(figure: Figure, paper: Paper, facts: Mapping[str, str]) -> bytes:
    """Return the figure at 300 pixels per inch, with what it says of itself as text chunks."""
    svg = _svg(figure, paper, {}, f"{paper.width_pt:.2f}", "")
    png = vl_convert.svg_to_png(svg, ppi=PIXELS_PER_INCH)
    texts = {
        "Title": figure.title,
        "Description": _description(figure),
        "Software": facts.get("software", ""),
        "Source": "; ".join(f"{name}: {value}" for name, value in facts.items()),
    }
    # After the signature (8 bytes) and the header chunk (25).
    return png[:33] + b"".join(_text_chunk(*item) for item in texts.items()) + png[33:]


def _text_chunk(keyword: str, text: str) -> bytes:
    """Return an iTXt chunk: not compressed, no language, UTF-8."""
    body = keyword.encode() + b"\0\0\0\0\0" + _NOT_XML.sub("\ufffd", text).encode()
    chunk = b"iTXt" + body
    return struct.pack(">I", len(body)) + chunk + struct.pack(">I", zlib.crc32(chunk))


def to_pdf(figure: Figure, paper: Paper, facts: Mapping[str, str]) -> bytes:
    """Return the figure as one page of its size, fonts embedded.

    The document information is added as an incremental update: what is there stays as it is.
    """
    pdf = vl_convert.svg_to_pdf(_svg(figure, paper, {}, f"{paper.width_pt:.2f}", ""))
    # What a page uses is listed in another order each time; sorted, it takes the same place.
    pdf = _RESOURCES.sub(lambda lines: b"".join(sorted(lines[0].splitlines(keepends=True))), pdf)
    trailer = pdf[pdf.rindex(b"trailer") :]
    size, root = (
        re.search(pattern, trailer)[1]  # type: ignore[index]
        for pattern in (rb"/Size (\d+)", rb"/Root (\d+ 0 R)")
    )
    before = re.search(rb"startxref\s+(\d+)", trailer)[1]  # type: ignore[index]
    entries = {
        "Title": figure.title,
        "Subject": _description(figure),
        "Keywords": "; ".join(f"{name}: {value}" for name, value in facts.items()),
        "Creator": facts.get("software", ""),
    }
    info = b" ".join(f"/{name} <{_pdf_text(text)}>".encode() for name, text in entries.items())
    day = facts.get("date", "").replace("-", "")
    if re.fullmatch(r"\d{8}", day):
        info += f" /CreationDate (D:{day})".encode()
    start = len(pdf) + 1
    added = size + b" 0 obj\n<< " + info + b" >>\nendobj\n"
    table = b"xref\n%s 1\n%010d 00000 n\r\n" % (size, start)
    return (
        pdf
        + b"\n"
        + added
        + table
        + b"trailer\n<< /Size %d /Root %s /Info %s 0 R /Prev %s >>\n"
        % (int(size) + 1, root, size, before)
        + b"startxref\n%d\n%%%%EOF\n" % (start + len(added))
    )


def _pdf_text(text: str) -> str:
    return (b"\xfe\xff" + _NOT_XML.sub("\ufffd", text).encode("utf-16-be")).hex().upper()


FORMATS: Final[Mapping[str, Format]] = {
    "svg": Format("SVG", "image/svg+xml", to_svg),
    "png": Format("PNG", "image/png", to_png),
    "pdf": Format("PDF", "application/pdf", to_pdf),
}


def size_css_px(figure: Figure, paper: Paper) -> tuple[int, int]:
    """Return width and height for a page, where a millimetre has 96 / 25.4 pixels."""
    width, height = size_pt(figure, paper)
    wide = paper.width_pt / POINTS_PER_MM * 96 / 25.4
    return round(wide), round(wide * height / width)
