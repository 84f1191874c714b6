"""Signs of formats that are not supported, so that messages can name them."""

from typing import Final

# First bytes of files that are not text.
_BYTES: Final = {
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"\x1f\x8b": "a gzip archive (.tar.gz)",
    b"MATLAB 5.0": "a MATLAB file, as in Total-Text and SynthText",
    b"\x89HDF": "an HDF5 file",
    b"%PDF": "a PDF",
    b"SQLite format 3": "a database",
}
PADDLE_TEXTS: Final = "PaddleOCR's texts without boxes"
_OLMOCR: Final = "texts without boxes, as of olmOCR"
# Names of members that a JSON document must all have.
_JSON: Final = (
    ({"adjusted_bbox"}, "the JSON of Chinese Text in the Wild"),
    ({"rec_text", "rec_score"}, PADDLE_TEXTS),
    ({"rec_texts", "rec_scores"}, "MMOCR's texts without boxes"),
    ({"markdown", "index"}, "Markdown without boxes, as of Mistral OCR"),
    ({"natural_text"}, _OLMOCR),
    ({"text", "pdf_page_numbers"}, _OLMOCR),
)
# Parts that an XML document must all have.
_XML: Final = ((("<tagset", "taggedRectangle"), "the XML of ICDAR 2003 and Street View Text"),)
# Formats by the suffix of most files in a zip.
_SUFFIXES: Final = {
    **dict.fromkeys((".a1", ".a2", ".ann"), "annotations of texts (BioNLP, brat)"),
    ".mat": "MATLAB files, as in Total-Text and SynthText",
}


def look_of_bytes(begin: bytes) -> str | None:
    """Return the unsupported format of a file with these first bytes, or None."""
    return next((look for mark, look in _BYTES.items() if begin.startswith(mark)), None)


def look_of_suffix(suffix: str) -> str | None:
    """Return the unsupported format of files with this suffix, or None."""
    return _SUFFIXES.get(suffix)


def look_of_json(keys: set[str]) -> str | None:
    """Return the unsupported JSON format with these keys, or None."""
    return next((look for wanted, look in _JSON if wanted <= keys), None)


def look_of_xml(text: str) -> str | None:
    """Return the unsupported XML format of this text, or None."""
    return next((look for marks, look in _XML if all(mark in text for mark in marks)), None)
