"""A figure drawn by Vega-Lite: its specification and the resulting SVG."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from ..figure import Figure
from ..parts import drawing
from ..themes import Paper
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
