"""A figure as SVG, with an embedded font."""

from collections.abc import Mapping
from html import escape

from ..figure import Figure
from ..themes import Paper
from .about import description, printable, source
from .font import font_style
from .vega import draw, specification


def to_svg(figure: Figure, paper: Paper, facts: Mapping[str, str]) -> bytes:
    svg = framed(figure, paper, facts, f"{paper.width_mm}mm", "mm", has_font=True)
    return svg.encode()


def framed(
    figure: Figure,
    paper: Paper,
    facts: Mapping[str, str],
    width: str,
    unit: str,
    *,
    has_font: bool = False,
) -> str:
    """Return a figure as SVG of this width."""
    drawn = draw(specification(figure, paper), paper.width_pt)
    long = {"mm": paper.width_mm, "": paper.width_pt}[unit] * drawn.height_pt / drawn.width_pt
    box = f"{drawn.left_pt:.2f} {drawn.top_pt:.2f} {drawn.width_pt:.2f} {drawn.height_pt:.2f}"
    x, y, across, down = box.split()
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'version="1.1" role="img" width="{width}" height="{long:.2f}{unit}" viewBox="{box}">'
        f"<title>{_xml(figure.title)}</title><desc>{_xml(description(figure))}</desc>"
        f"<metadata>{_dublin_core(figure, facts)}</metadata>"
        f"{font_style(drawn.inside) if has_font else ''}"
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
