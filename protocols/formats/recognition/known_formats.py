"""The formats that can be read: those of this package and of plug-ins."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from ..containers.archives import Limits, Source
from ..containers.contents import Archive, Kind, LineFormat, OnEntry, Read, Tail
from ..readers import by_image, coco, ctdar, evaltex, separated
from ..readers.rrc import read_archive
from ..readers.rrc_lines import Rules
from .declared import BOTH, Format, lazily
from .exports import ENGINES, TOOLS

__all__ = ["FORMATS", "LINES", "Format", "broken_plugins", "lines_as"]

if TYPE_CHECKING:
    from protocols.plugins import Broken, Found


def lines_as(
    line_format: LineFormat | None, tail: Tail | None = Tail.TEXT, *, sides: bool = False
) -> Read:
    """Return a reader of lines, whose coordinates and further fields are given or detected.

    Parameters
    ----------
    line_format : LineFormat or None
        Format of coordinates; None: detected from all lines.
    tail : Tail or None
        Fields after them; None: detected from all lines.
    sides : bool
        Whether boxes are left,top,width,height.
    """

    def read_lines(
        source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
    ) -> Archive:
        rules = Rules(line_format=line_format, tail=tail, loading=True, sides=sides)
        return read_archive(
            source, kind=kind, name=name, rules=rules, limits=limits, on_entry=on_entry
        )

    return read_lines


_OURS: Final[Mapping[str, Format]] = {
    of.slug: of
    for of in (
        Format(
            "ltrb",
            "Boxes (ICDAR 2013)",
            "A zip of gt_NAME.txt or res_NAME.txt, a line for each upright box: "
            'left,top,right,bottom and a transcription or confidence, as in 38,43,920,215,"Tiredness"',
            BOTH,
            lines_as(LineFormat.LTRB),
            kept="text, ignored (`###`), confidence",
        ),
        Format(
            "ltwh",
            "Boxes by their sides",
            "As boxes, with width and height in place of right and bottom: "
            "left,top,width,height, as in 38,43,88,17,CARE",
            BOTH,
            lines_as(LineFormat.LTRB, None, sides=True),
            kept="the same",
        ),
        Format(
            "quad",
            "Quadrilaterals (ICDAR 2015)",
            "A zip of gt_NAME.txt or res_NAME.txt, a line for each quadrilateral, its corners clockwise "
            "from the top left one, as in 933,255,954,255,956,277,936,277,###",
            BOTH,
            lines_as(LineFormat.QUAD),
            kept="the same",
        ),
        Format(
            "polygon",
            "Polygons (Total-Text, CTW-1500)",
            "A zip of text files, a line for each polygon of three points or more, as in "
            "48,84,61,79,75,73,88,68,CARE; also Total-Text's x: [[48 61 75]], y: [[84 79 73]], "
            "ornt: [u'c'], transcriptions: [u'CARE'] and CTW-1500's lines of 32 numbers",
            BOTH,
            lines_as(LineFormat.POLYGON),
            kept="the same",
        ),
        Format(
            "quad-script",
            "Quadrilaterals with a script (MLT 2017, 2019)",
            "As quadrilaterals, with the script before the transcription, as in "
            "72,50,141,46,142,64,72,67,Latin,Tiredness",
            BOTH,
            lines_as(LineFormat.QUAD, Tail.SCRIPT),
            kept="the same, the script as label",
        ),
        Format(
            "quad-difficult",
            "Quadrilaterals with difficult (RCTW-17)",
            "As quadrilaterals, with 0 or, where it is to be ignored, 1 before the transcription in quotes, "
            'as in 72,50,141,46,142,64,72,67,0,"Tiredness"',
            BOTH,
            lines_as(LineFormat.QUAD, Tail.DIFFICULT),
            kept="text, difficult as ignored",
        ),
        Format(
            "ltrb-confidence",
            "Boxes with confidence and text",
            "As boxes, with a confidence before the text, as in 38,43,920,215,0.93,Tiredness",
            BOTH,
            lines_as(LineFormat.LTRB, Tail.CONFIDENCE),
            kept="text and confidence",
        ),
        Format(
            "quad-confidence",
            "Quadrilaterals with confidence and text",
            "As quadrilaterals, with a confidence before the text, as in "
            "72,50,141,46,142,64,72,67,0.93,Tiredness",
            BOTH,
            lines_as(LineFormat.QUAD, Tail.CONFIDENCE),
            kept="text and confidence",
        ),
        Format(
            "polygon-confidence",
            "Polygons with confidence and text",
            "As polygons, with a confidence before the text, as in 48,84,61,79,75,73,0.93,CARE",
            BOTH,
            lines_as(LineFormat.POLYGON, Tail.CONFIDENCE),
            kept="text and confidence",
        ),
        Format(
            "evaltex-text",
            "EvaLTex, text",
            "A text file of all images, each with its name, height,width and a line for each object, "
            'as in 1,0,"CARE",f,38,43,88,17; detections without the second to the fourth field',
            BOTH,
            evaltex.read_text,
            kept="id, parent, text, reject as ignored, sizes of images",
        ),
        Format(
            "evaltex-xml",
            "EvaLTex, XML",
            'An XML file of all images, as in <object id="1" x="38" y="43" width="88" '
            'height="17" transcription="CARE"/> inside <evaltex><image name="img_1">',
            BOTH,
            evaltex.read_xml,
            kept="id, parent, text, reject as ignored, sizes",
        ),
        Format(
            "ctdar-xml",
            "Tables (cTDaR 2019)",
            "A zip of XML files, one for each image, as in "
            '<document><table><Coords points="9,50 9,93 88,93 88,50"/></table></document>',
            BOTH,
            ctdar.read_documents,
            kept="cells with rows and columns",
        ),
        Format(
            "coco-json",
            "COCO JSON",
            "A JSON file with images and annotations, or a list of results, as in "
            '{"image_id": 1, "segmentation": [[48, 84, 61, 79, 75, 73]], "score": 0.9}',
            BOTH,
            coco.read_coco,
            kept="text, score, crowd or ignored, category as label, masks, sizes, methods",
        ),
        Format(
            "art-json",
            "JSON by image (ArT, LSVT)",
            "A JSON file with a list of regions for each image, as in "
            '{"gt_1": [{"points": [[48, 84], [61, 79], [75, 73]], "transcription": "CARE"}]}',
            BOTH,
            by_image.read_by_image,
            kept="text, confidence, illegible as ignored, language as label",
        ),
        Format(
            "paddle",
            "PaddleOCR",
            "Label.txt: a line for each image with its path, a tab and its regions as JSON, as in "
            'images/img_1.jpg and [{"transcription": "CARE", "points": [[48, 84], [61, 79], [75, '
            "73], [60, 90]]}]",
            BOTH,
            lazily("paddle", "read_paddle"),
            kept="text, ignored (`difficult`, `*`, `###`), score, `key_cls` as label",
        ),
        Format(
            "hiertext",
            "HierText",
            "JSON with paragraphs, lines and words of each image, whole or a line each, as in "
            '{"image_id": "img_1", "paragraphs": [{"lines": [{"words": [{"vertices": [[48, 84], '
            '…], "text": "CARE"}]}]}]}',
            BOTH,
            lazily("hiertext", "read_hiertext"),
            kept="text, not legible as ignored, the line as parent, lines and paragraphs, sizes",
        ),
        Format(
            "labelme",
            "LabelMe",
            "A zip of JSON files, one for each image, their shapes polygons or rectangles, as in "
            '{"shapes": [{"label": "text", "description": "CARE", "points": [[48, 84], [61, 79], '
            "[75, 73]]}]}",
            BOTH,
            lazily("labelme", "read_labelme"),
            kept="description as text, label, ignored (`###`, a flag), score, sizes",
        ),
        Format(
            "via",
            "VGG Image Annotator",
            'JSON or CSV of version 2 or 3, annotations or a project, as in {"filename": "img_1.jpg", '
            '"regions": [{"shape_attributes": {"name": "rect", "x": 38, "y": 43, "width": 88, '
            '"height": 17}}]}',
            BOTH,
            lazily("via", "read_via"),
            kept="text, label, ignored, score, from the attributes",
        ),
        *TOOLS,
        Format(
            "yolo",
            "YOLO, boxes and oriented boxes",
            "A zip of NAME.txt with fractions of the image's width and height (the photographs "
            "give the sizes), as in 0 0.25 0.5 0.1 0.05 or, oriented, 0 and eight numbers",
            BOTH,
            lazily("yolo", "read_yolo"),
            kept="class as label, confidence",
        ),
        Format(
            "page-xml",
            "PAGE XML",
            'An XML file for each page with regions, lines and words, as in <Word id="w1"><Coords '
            'points="48,84 61,79 75,73"/><TextEquiv><Unicode>CARE</Unicode></TextEquiv></Word>',
            BOTH,
            lazily("page", "read_page"),
            kept="text, confidence, id, the line as parent, sizes",
        ),
        Format(
            "alto-xml",
            "ALTO XML",
            'An XML file for each page with its words, as in <String CONTENT="CARE" HPOS="38" '
            'VPOS="43" WIDTH="88" HEIGHT="17"/>',
            BOTH,
            lazily("alto", "read_alto"),
            kept="the same",
        ),
        Format(
            "hocr",
            "hOCR",
            'HTML of a page or several, as Tesseract writes it, as in <span class="ocrx_word" '
            'title="bbox 38 43 126 60; x_wconf 93">CARE</span>',
            BOTH,
            lazily("hocr", "read_hocr"),
            kept="the same",
        ),
        *ENGINES,
        Format(
            "mmocr",
            "MMOCR",
            'JSON of a dataset, or predictions of one image a file, as in {"data_list": '
            '[{"img_path": "img_1.jpg", "instances": [{"polygon": [48, 84, 61, 79, 75, 73], '
            '"text": "CARE"}]}]}',
            BOTH,
            lazily("mmocr", "read_mmocr"),
            kept="text, ignored, score, sizes",
        ),
        Format(
            "rects-json",
            "ReCTS JSON",
            "A zip of NAME.json, each with the characters and lines of an image, of which the lines are "
            'read, as in {"chars": [], "lines": [{"points": [48, 84, 75, 84, 75, 99, 48, 99], '
            '"transcription": "CARE", "ignore": 0}]}',
            BOTH,
            lazily("rects", "read_rects"),
            kept="text, ignored",
        ),
        Format(
            "csv",
            "CSV",
            "A line for each region below a header that names the columns, as in "
            "image,left,top,right,bottom,text and img_1,38,43,126,60,CARE",
            BOTH,
            separated.read_csv,
            kept="text, confidence, ignored, label, id, parent, sizes, methods",
        ),
    )
}


@cache
def _plugged() -> "Found[Format]":
    from protocols import plugins

    def fitting(name: str, loaded: object) -> Format:
        if not isinstance(loaded, Format):
            raise plugins.Unfit("it is no Format")
        if loaded.slug != name:
            raise plugins.Unfit(
                f"its slug is {loaded.slug!r}, and its entry point must be the same"
            )
        if not loaded.kinds or not set(loaded.kinds) <= set(BOTH):
            raise plugins.Unfit(f"its kinds are {loaded.kinds}, not some of {BOTH}")
        return loaded

    return plugins.found(plugins.FORMATS, fitting, _OURS)


class _Formats(Mapping[str, Format]):
    """The formats by slug; plug-ins come last, and are searched for on first use."""

    def __getitem__(self, slug: str) -> Format:
        return _OURS[slug] if slug in _OURS else _plugged().things[slug]

    def __iter__(self) -> Iterator[str]:
        yield from _OURS
        yield from _plugged().things

    def __len__(self) -> int:
        return len(_OURS) + len(_plugged().things)


FORMATS: Final[Mapping[str, Format]] = _Formats()


def broken_plugins() -> "tuple[Broken, ...]":
    """Return the plug-ins whose format cannot be used, each with the reason."""
    return _plugged().broken


# Formats of lines. If a file is guessed to have one, all its lines are examined to read it.
LINES: Final = tuple(
    slug for slug in _OURS if slug.partition("-")[0] in {"ltwh", *(of.value for of in LineFormat)}
)
