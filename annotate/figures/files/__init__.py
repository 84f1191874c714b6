"""The files of a figure; each states its origin, and equal figures give equal bytes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ..figure import Figure
from ..themes import Paper
from .pdf import to_pdf
from .png import to_png
from .svg import to_svg


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
