"""A figure as PDF."""

import io
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from ..figure import Figure
from ..themes import Paper
from .about import description, printable, source
from .svg import framed

if TYPE_CHECKING:
    from pypdf.generic import DictionaryObject


def to_pdf(figure: Figure, paper: Paper, facts: Mapping[str, str]) -> bytes:
    """Return a PDF of one page, the size of the figure, with fonts and document information."""
    # Imported with the first figure, like the other drawing libraries.
    import vl_convert
    from pypdf import PdfReader, PdfWriter

    pdf = vl_convert.svg_to_pdf(framed(figure, paper, {}, f"{paper.width_pt:.2f}", ""))
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
