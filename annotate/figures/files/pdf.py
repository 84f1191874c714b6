"""A figure as PDF."""

import re
from collections.abc import Mapping
from typing import Final

from ..figure import Figure
from ..papers import Paper
from .about import description, printable, source
from .svg import framed

_RESOURCES: Final = re.compile(rb"(?:^ +/[a-z]{2}\d+ [^\n]*\n){2,}", re.MULTILINE)


def to_pdf(figure: Figure, paper: Paper, facts: Mapping[str, str]) -> bytes:
    """Return the figure as one page of its size, fonts embedded.

    The document information is added as an incremental update: what is there stays as it is.
    """
    import vl_convert

    pdf = vl_convert.svg_to_pdf(framed(figure, paper, {}, f"{paper.width_pt:.2f}", ""))
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
        "Subject": description(figure),
        "Keywords": source(facts),
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
    return (b"\xfe\xff" + printable(text).encode("utf-16-be")).hex().upper()
