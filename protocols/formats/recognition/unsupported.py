"""Signs of formats that are not supported, so that messages can name them."""

from typing import Final

from text_rankings.base.i18n import Message

# Beginnings of files that are not text.
_BYTES: Final = {
    b"Rar!": Message("a RAR archive"),
    b"7z\xbc\xaf": Message("a 7-Zip archive"),
    b"\x1f\x8b": Message("a gzip archive (.tar.gz)"),
    b"MATLAB 5.0": Message("a MATLAB file, as Total-Text and SynthText have it"),
    b"\x89HDF": Message("an HDF5 file"),
    b"%PDF": "a PDF",
    b"SQLite format 3": "a database",
}
# By the names of members that a JSON document has, all of them.
_JSON: Final = (
    ({"adjusted_bbox"}, Message("the JSON of Chinese Text in the Wild")),
    ({"img_dimensions", "polygons"}, "docTR's JSON"),
    ({"from_name", "to_name"}, Message("Label Studio's JSON")),
    ({"objects", "exterior"}, "Supervisely's JSON"),
)
# Parts that an XML document must all have.
_XML: Final = (
    (("<annotation", "<bndbox"), Message("Pascal VOC's XML")),
    (("<annotations", "<image ", "<meta"), "CVAT's XML"),
    (("<tagset", "taggedRectangle"), Message("the XML of ICDAR 2003 and Street View Text")),
)
# By how most of the files of a zip end.
_SUFFIXES: Final = {
    **dict.fromkeys((".a1", ".a2", ".ann"), Message("annotations of texts (BioNLP, brat)")),
    ".mat": Message("MATLAB files, as Total-Text and SynthText have them"),
}


def look_of_bytes(begin: bytes) -> str | None:
    """Return the unsupported format of a file with this beginning.

    Examples
    --------
    >>> look_of_bytes(b"%PDF-1.7")
    'a PDF'
    """
    return next((look for mark, look in _BYTES.items() if begin.startswith(mark)), None)


def look_of_suffix(suffix: str) -> str | None:
    """Return the unsupported formats of files with this suffix.

    Examples
    --------
    >>> look_of_suffix(".a2")
    'annotations of texts (BioNLP, brat)'
    """
    return _SUFFIXES.get(suffix)


def look_of_json(keys: set[str]) -> str | None:
    """Return whose JSON that is not read has these keys.

    Examples
    --------
    >>> look_of_json({"objects", "exterior", "tags"})
    "Supervisely's JSON"
    """
    return next((look for wanted, look in _JSON if wanted <= keys), None)


def look_of_xml(text: str) -> str | None:
    """Return whose XML that is not read begins so.

    Examples
    --------
    >>> look_of_xml("<annotation><object><bndbox>")
    "Pascal VOC's XML"
    """
    return next((look for marks, look in _XML if all(mark in text for mark in marks)), None)
