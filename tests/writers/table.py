"""The writers: what each needs, its script in ``scripts``, and what was put into each of its folders."""

from typing import Final, NamedTuple

Box = tuple[float, float, float, float]
_PutIn = dict[str, Box] | tuple[tuple[str, Box], ...]
# As the scripts have them. Formats of shares take the sizes of the photograph, 400 x 200 px.
WORDS: Final[dict[str, Box]] = {"EXIT": (10, 20, 110, 60), "STOP": (200, 20, 260, 50)}
# Drawn in page.png, in ink.
PRINTED: Final[dict[str, Box]] = {
    "EXIT": (43, 49, 106, 72),
    "NOW": (163, 49, 236, 72),
    "10,000": (44, 129, 140, 156),
}
# The ink of each letter; Tesseract 5 cuts I from T elsewhere.
LETTERS: Final = (
    *(
        ("E", (43, 49, 58, 72)),
        ("X", (59, 49, 78, 72)),
        ("I", (81, 49, 106, 72)),
        ("T", (100, 49, 106, 72)),
    ),
    *(("N", (163, 49, 180, 72)), ("O", (184, 49, 205, 72)), ("W", (207, 49, 236, 72))),
    *(("1", (44, 129, 53, 152)), ("0", (60, 129, 76, 152)), (",", (77, 149, 82, 156))),
    *(("0", (86, 129, 102, 152)), ("0", (105, 129, 121, 152)), ("0", (124, 129, 140, 152))),
)
LINES: Final[dict[str, Box]] = {"EXIT NOW": (43, 49, 236, 72), "10,000": (44, 129, 140, 156)}
KRAKEN: Final[dict[str, Box]] = {
    "He": (41, 40, 59, 65),
    "said": (71, 40, 109, 65),
    "10,000": (41, 100, 99, 125),
    "no": (111, 100, 129, 125),
}
KRAKEN_LINES: Final[dict[str, Box]] = {
    "He said": (40, 40, 110, 65),
    "10,000 no": (40, 100, 130, 125),
}
PAGES: Final = ("pages_1", "pages_2")
WITHOUT_WORDS: Final = "1 page without words, of which the lines are read"
BLANKS: Final = "2 words or lines without text"


class Folder(NamedTuple):
    """Files that a writer wrote: the format, where names are, and the account of what is left out."""

    format: str
    put_in: _PutIn = WORDS
    # Whether the names above are texts or labels, or neither is in the format.
    names: str | None = "label"
    images: tuple[str, ...] = ("street",)
    told: tuple[str, ...] = ()
    # How far an engine's boxes may be from the ink, in pixels.
    within: float = 0.01
    # The format that has to be named where files are recognised as another one.
    named: str | None = None
    photograph: bool = False

    @property
    def boxes(self) -> list[tuple[str, Box]]:
        return list(self.put_in.items()) if isinstance(self.put_in, dict) else list(self.put_in)


def _page(format: str, put_in: _PutIn = PRINTED, **other: object) -> Folder:
    return Folder(format, put_in, "text", **{"images": ("page",), "within": 4, **other})  # type: ignore[arg-type]


def _kraken(format: str, *told: str, put_in: dict[str, Box] = KRAKEN) -> Folder:
    return Folder(format, put_in, "text", ("page",), told)


class Writer(NamedTuple):
    """Packages of an environment of its own; ``alone`` are installed without what they depend on."""

    packages: tuple[str, ...]
    folders: dict[str, Folder]
    alone: tuple[str, ...] = ()
    program: str | None = None


_TORCH: Final = ("torch==2.13.0",)
WRITERS: Final[dict[str, Writer]] = {
    "globox": Writer(
        ("globox==2.9.0",),
        {
            "coco": Folder("coco-json"),
            "labelme": Folder("labelme", named="labelme"),
            "via": Folder("via", names=None),
            "yolo": Folder("yolo", names=None, photograph=True),
            "open-images": Folder("open-images", photograph=True),
            "cvat": Folder("cvat-xml"),
            "voc": Folder("voc-xml", named="voc-xml-0"),
        },
    ),
    "datumaro": Writer(
        ("datumaro==1.13.12",),
        {
            "coco": Folder("coco-json", names="text"),
            "cvat/train.xml": Folder("cvat-xml", names=None),
            "voc": Folder("voc-xml", {"EXIT": WORDS["EXIT"]}, "text", named="voc-xml-0"),
            "yolo": Folder("yolo", {"EXIT": WORDS["EXIT"]}, None),
            "icdar": Folder("polygon", names="text"),
        },
    ),
    "label_studio": Writer(
        ("label-studio-sdk==2.1.2",),
        {
            "tasks.json": Folder("label-studio"),
            "coco": Folder("coco-json"),
            "voc/Annotations": Folder("voc-xml", named="voc-xml-0"),
            "yolo/labels": Folder("yolo", names=None, photograph=True),
        },
    ),
    "potato": Writer(
        ("pyyaml==6.0.4",),
        {
            "coco": Folder("coco-json", names="text"),
            "labelme": Folder("labelme", names=None),
            "pascal_voc": Folder("voc-xml", names=None),
            "yolo/labels": Folder("yolo", names=None, photograph=True),
            "cvat": Folder("cvat-xml", names="text"),
            "darwin": Folder("darwin", names=None),
        },
        alone=("potato-annotation==2.12.1",),
    ),
    "pycocotools": Writer(
        ("pycocotools==2.0.11", "numpy==2.4.6"),
        {"masks": Folder("coco-json"), "results": Folder("coco-json")},
    ),
    "ocrd": Writer(
        ("ocrd==3.13.3", "ocrd-page-to-alto==2.2.12"),
        {"page": Folder("page-xml", names="text"), "alto": Folder("alto-xml", names="text")},
    ),
    "kraken": Writer(
        (
            *_TORCH,
            *("numpy==2.4.6", "shapely==2.2.0", "scikit-image==0.26.0", "jinja2==3.1.6", "lxml==6.1.3"),
            *("regex==2026.11.19", "python-bidi==0.6.12", "pillow==12.3.0"),
        ),
        {
            "alto": _kraken("alto-xml"),
            "alto-lines": _kraken("alto-xml", WITHOUT_WORDS, put_in=KRAKEN_LINES),
            "page": _kraken("page-xml", BLANKS),
            "page-lines": _kraken("page-xml", WITHOUT_WORDS, put_in=KRAKEN_LINES),
            "hocr": _kraken("hocr", BLANKS),
            # It writes no texts of lines.
            "hocr-lines": Folder("hocr", KRAKEN_LINES, None, ("page",), (WITHOUT_WORDS,)),
            "abbyy": _kraken("abbyy-xml"),
        },
        alone=("kraken==7.1.1",),
    ),
    "doctr": Writer(
        (*_TORCH, "python-doctr==1.1.0"),
        {
            "json": Folder("doctr", names="text"),
            "turned": Folder("doctr", names="text"),
            "tables": Folder("doctr", names="text", told=("1 cell of a table, whose words have no boxes",)),
            "hocr": Folder("hocr", names="text", told=("1 cell of a table, whose words have no boxes",)),
        },
    ),
    "docling_parse": Writer(
        ("docling-parse==7.23.1", "reportlab==5.1.0"),
        {
            # Courier's cells are as wide as .6 of the size for each letter.
            "cells": _page(
                "docling-parse", {"EXIT": (40, 49, 88, 63), "STOP": (200, 49, 248, 63)}, photograph=True
            )
        },
    ),
    "rapidocr": Writer(
        ("rapidocr==3.10.0", "onnxruntime==1.32.0", "opencv-python-headless==4.14.0.94", "numpy==2.4.6"),
        {"lines": _page("easyocr", within=12), "words": _page("rapidocr-words", within=12)},
    ),
    "rapidocr_1": Writer(
        ("rapidocr-onnxruntime==1.4.4",),
        {"lines": _page("easyocr", within=12)},
    ),
    "tesseract": Writer(
        ("pytesseract==0.3.13", "tesserocr==2.13.0", "pillow==12.3.0"),
        {
            **dict.fromkeys(("tsv", "pytesseract-tsv", "tesserocr-tsv"), _page("tesseract-tsv")),
            **dict.fromkeys(("hocr", "hocr-characters"), _page("hocr")),
            **dict.fromkeys(("pytesseract-hocr", "tesserocr-hocr"), _page("hocr")),
            **dict.fromkeys(("alto", "pytesseract-alto"), _page("alto-xml")),
            "tsv-pages": _page("tesseract-tsv", images=PAGES),
            "hocr-pages": _page("hocr", images=PAGES),
            "alto-pages": _page("alto-xml", images=PAGES),
            **dict.fromkeys(
                ("makebox", "pytesseract-box", "tesserocr-box"),
                _page("tesseract-box", LETTERS, photograph=True),
            ),
            # The tabulator that ends a line is in its box.
            "lstmbox": _page("tesseract-box", LINES, within=6, photograph=True),
            "wordstrbox": _page("tesseract-box", LINES, photograph=True),
        },
        program="tesseract",
    ),
}  # fmt: skip
