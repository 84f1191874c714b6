"""Reading ground truth and results in any format of the field: one call, one kind of answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from protocols.errors import ProtocolError

from .archives import Limits, Source
from .contents import Archive, Kind, LineFormat, OnEntry
from .guessing import guess
from .rrc import Rules, read_archive

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


def _lines_as(line_format: LineFormat) -> _Read:
    def read_lines(
        source: Source, kind: Kind, name: str | None, limits: Limits, on_entry: OnEntry | None
    ) -> Archive:
        rules = Rules(line_format=line_format, loading=True)
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
                "48,84,61,79,75,73,88,68,CARE",
                _BOTH,
                _lines_as(LineFormat.POLYGON),
            ),
        )
    }
)


def read(
    source: Source,
    *,
    kind: Kind,
    format: str | None = None,
    name: str | None = None,
    limits: Limits | None = None,
    on_entry: OnEntry | None = None,
) -> Archive:
    """Read a ground truth or results; whatever is wrong becomes a problem of the answer.

    Parameters
    ----------
    source : path or binary file
    kind : "truth" or "results"
    format : str, optional
        A key of ``FORMATS``; without it the format is guessed.
    name : str, optional
        What messages call the file; without it, its own name.
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
    slug = format or guess(source, name).format or LineFormat.LTRB.value
    chosen = FORMATS.get(slug)
    if chosen is None or (format is not None and kind not in chosen.kinds):
        known = ", ".join(FORMATS)
        raise UnknownFormat(f"{kind} are not read as {slug!r}; formats: {known}")
    return chosen._read(source, kind, name, limits or Limits(), on_entry)
