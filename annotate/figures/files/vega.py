"""A figure drawn by Vega-Lite: its specification, and the SVG that comes of it."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from ..figure import Figure
from ..papers import POINTS_PER_MM, Paper
from ..parts import drawing
from .about import printable

_OPENING: Final = re.compile(r"<svg [^>]*?viewBox=\"([^\"]*)\"[^>]*>")


@dataclass(frozen=True)
class Drawn:
    """An SVG without its frame, and its size in points."""

    inside: str
    width_pt: float
    height_pt: float
    left_pt: float
    top_pt: float


# A page asks for the size of each figure just before its reader's browser asks for the figure; making a
# specification takes longer than drawing it.
_N_KEPT: Final = 128


@lru_cache(maxsize=_N_KEPT)
def specification(figure: Figure, paper: Paper) -> str:
    """Return the Vega-Lite specification as JSON; equal figures give equal text."""
    specified = _without_what_xml_refuses(drawing(figure, paper))
    return json.dumps(specified, sort_keys=True, allow_nan=False)


def _without_what_xml_refuses(part: Any) -> Any:
    """Return the same data; one such letter in a name would abort the process, not only the drawing."""
    if isinstance(part, str):
        return printable(part)
    if isinstance(part, dict):
        return {key: _without_what_xml_refuses(value) for key, value in part.items()}
    return [_without_what_xml_refuses(value) for value in part] if isinstance(part, list) else part


def size_pt(figure: Figure, paper: Paper) -> tuple[float, float]:
    drawn = render(specification(figure, paper), paper.width_pt)
    return drawn.width_pt, drawn.height_pt


def size_css_px(figure: Figure, paper: Paper) -> tuple[int, int]:
    """Return width and height for a page, where a millimetre has 96 / 25.4 pixels."""
    width, height = size_pt(figure, paper)
    wide = paper.width_pt / POINTS_PER_MM * 96 / 25.4
    return round(wide), round(wide * height / width)


@lru_cache(maxsize=_N_KEPT)
def render(specified: str, width_pt: float) -> Drawn:
    import vl_convert

    svg = vl_convert.vegalite_to_svg(specified)
    opening = _OPENING.search(svg)
    if opening is None:
        raise ValueError(f"expected an SVG with a viewBox, got {svg[:80]!r}")
    left, top, width, height = map(float, opening[1].split())
    inside = svg[opening.end() : svg.rindex("</svg>")]
    # A narrower drawing stands in the middle; a wider one is scaled down to the paper.
    space = max(0.0, width_pt - width)
    return Drawn(inside, width + space, height, left - space / 2, top)
