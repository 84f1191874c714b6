"""Reading ground truth and results in any format of the field: one call, one kind of answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from protocols.core.errors import ProtocolError

from . import by_image, coco, ctdar, evaltex, separated
from .archives import Limits, Source, source_name
from .contents import Archive, Kind, LineFormat, OnEntry, Tail
from .guessing import guess
from .problems import Problems
from .rrc import read_archive
from .rrc_lines import Rules

_Read = Callable[[Source, Kind, str | None, Limits, OnEntry | None], Archive]


class UnknownFormat(ProtocolError, LookupError):
    """A format of this name does not exist, or it does not serve this kind of file."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read.

    Attributes
    ----------
    slug : str
    name : str
        What people call it.
    description : str
        One sentence and an example.
    kinds : tuple of str
        What it can hold: "truth", "results".
    """

    slug: str
    name: str
    description: str
    kinds: tuple[Kind, ...]
    _read: _Read


def _lines_as(line_format: LineFormat | None, tail: Tail | None = Tail.TEXT) -> _Read:
    def read_lines(
        source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
    ) -> Archive:
        rules = Rules(line_format=line_format, tail=tail, loading=True)
        return read_archive(
            source, kind=kind, name=name, rules=rules, limits=limits, on_entry=on_entry
        )

    return read_lines


_BOTH: Final[tuple[Kind, ...]] = ("truth", "results")

FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        of.slug: of
        for of in (
            Format(
                "ltrb",
                "Boxes (ICDAR 2013)",
                "A zip of gt_NAME.txt or res_NAME.txt, a line for each upright box: "
                'left,top,right,bottom and a transcription or confidence, as in 38,43,920,215,"Tiredness"',
                _BOTH,
                _lines_as(LineFormat.LTRB),
            ),
            Format(
                "quad",
                "Quadrilaterals (ICDAR 2015)",
                "A zip of gt_NAME.txt or res_NAME.txt, a line for each quadrilateral, its corners clockwise "
                "from the top left one, as in 933,255,954,255,956,277,936,277,###",
                _BOTH,
                _lines_as(LineFormat.QUAD),
            ),
            Format(
                "polygon",
                "Polygons (Total-Text, CTW-1500)",
                "A zip of text files, a line for each polygon of three points or more, as in "
                "48,84,61,79,75,73,88,68,CARE; also Total-Text's x: [[48 61 75]], y: [[84 79 73]], "
                "ornt: [u'c'], transcriptions: [u'CARE'] and CTW-1500's lines of 32 numbers",
                _BOTH,
                _lines_as(LineFormat.POLYGON),
            ),
            Format(
                "quad-script",
                "Quadrilaterals with a script (MLT 2017, 2019)",
                "As quadrilaterals, with the script before the transcription, as in "
                "72,50,141,46,142,64,72,67,Latin,Tiredness",
                _BOTH,
                _lines_as(LineFormat.QUAD, Tail.SCRIPT),
            ),
            Format(
                "ltrb-confidence",
                "Boxes with confidence and text",
                "As boxes, with a confidence before the text, as in 38,43,920,215,0.93,Tiredness",
                _BOTH,
                _lines_as(LineFormat.LTRB, Tail.CONFIDENCE),
            ),
            Format(
                "quad-confidence",
                "Quadrilaterals with confidence and text",
                "As quadrilaterals, with a confidence before the text, as in "
                "72,50,141,46,142,64,72,67,0.93,Tiredness",
                _BOTH,
                _lines_as(LineFormat.QUAD, Tail.CONFIDENCE),
            ),
            Format(
                "polygon-confidence",
                "Polygons with confidence and text",
                "As polygons, with a confidence before the text, as in 48,84,61,79,75,73,0.93,CARE",
                _BOTH,
                _lines_as(LineFormat.POLYGON, Tail.CONFIDENCE),
            ),
            Format(
                "evaltex-text",
                "EvaLTex, text",
                "A text file of all images, each with its name, height,width and a line for each object, "
                'as in 1,0,"CARE",f,38,43,88,17; detections without the second to the fourth field',
                _BOTH,
                evaltex.read_text,
            ),
            Format(
                "evaltex-xml",
                "EvaLTex, XML",
                'An XML file of all images, as in <object id="1" x="38" y="43" width="88" '
                'height="17" transcription="CARE"/> inside <evaltex><image name="img_1">',
                _BOTH,
                evaltex.read_xml,
            ),
            Format(
                "ctdar-xml",
                "Tables (cTDaR 2019)",
                "A zip of XML files, one for each image, as in "
                '<document><table><Coords points="9,50 9,93 88,93 88,50"/></table></document>',
                _BOTH,
                ctdar.read_documents,
            ),
            Format(
                "coco-json",
                "COCO JSON",
                "A JSON file with images and annotations, or a list of results, as in "
                '{"image_id": 1, "segmentation": [[48, 84, 61, 79, 75, 73]], "score": 0.9}',
                _BOTH,
                coco.read_coco,
            ),
            Format(
                "art-json",
                "JSON by image (ArT, LSVT)",
                "A JSON file with a list of regions for each image, as in "
                '{"gt_1": [{"points": [[48, 84], [61, 79], [75, 73]], "transcription": "CARE"}]}',
                _BOTH,
                by_image.read_by_image,
            ),
            Format(
                "csv",
                "CSV",
                "A line for each region below a header that names the columns, as in "
                "image,left,top,right,bottom,text and img_1,38,43,126,60,CARE",
                _BOTH,
                separated.read_csv,
            ),
        )
    }
)


# The formats of lines: what is guessed to be one of them is read by a look at all lines.
LINES: Final = tuple(
    slug for slug in FORMATS if slug.partition("-")[0] in {of.value for of in LineFormat}
)


def read(
    source: Source,
    *,
    kind: Kind,
    format: str | None = None,
    name: str | None = None,
    line_format: LineFormat | None = None,
    limits: Limits | None = None,
    on_entry: OnEntry | None = None,
) -> Archive:
    """Read a ground truth or results; whatever is wrong becomes a problem of the answer.

    Parameters
    ----------
    source : path or binary file
    kind : "truth" or "results"
    format : str, optional
        A key of ``FORMATS``; without it the format is guessed, and where lines allow two readings a
        question is asked.
    name : str, optional
        What messages call the file; without it, its own name.
    line_format : LineFormat, optional
        How the coordinates of lines are written, where only what follows them is to be guessed.
    limits : Limits, optional
    on_entry : callable, optional
        Called with how many entries are done and how many there are; what it raises ends the
        reading and reaches the caller.

    Returns
    -------
    Archive
        Regions of each image, those of unreadable lines left out; problems say which. A file of
        several methods has them in ``methods``.

    Raises
    ------
    UnknownFormat
        If there is no such format, or it does not hold this kind.
    """
    guessed = None if format else guess(source, name)
    slug = guessed.format if guessed else format
    if guessed is not None and guessed.data_set is not None:
        return _not_read(guessed.data_set, source_name(source, name))
    any_lines = Format("", "", "", _BOTH, _lines_as(line_format, None))
    chosen = any_lines if format is None and slug in LINES else FORMATS.get(slug or "")
    if format is None:
        # What is of no known format is told as a zip of text files that is none.
        chosen = chosen or any_lines
    if chosen is None or kind not in chosen.kinds:
        known = ", ".join(of.slug for of in FORMATS.values() if kind in of.kinds)
        raise UnknownFormat(f"{kind} are not read as {format!r}; formats: {known}")
    return chosen._read(source, kind, name, limits or Limits(), on_entry)


def _not_read(data_set: str, name: str) -> Archive:
    problems = Problems(name)
    read = ", ".join(FORMATS)
    problems.error("A1", f"what looks like {data_set}'s JSON", f"a format that is read: {read}")
    return Archive(name, LineFormat.QUAD, {}, tuple(problems.found), dict(problems.counts))
