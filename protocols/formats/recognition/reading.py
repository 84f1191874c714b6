"""Reading ground truth and results in any format of the field: one call, one kind of answer."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from protocols.core.errors import ProtocolError
from text_rankings.base.i18n import ngettext_noop

from ..containers.archives import Limits, Source, source_name
from ..containers.contents import Archive, Kind, LineFormat, OnEntry
from ..problems import Problems
from .guessing import guess
from .known_formats import BOTH, FORMATS, LINES, Format, broken_plugins, lines_as

__all__ = ["FORMATS", "LINES", "Format", "UnknownFormat", "broken_plugins", "read"]

_MIN_WRONG: Final = 5


class UnknownFormat(ProtocolError, LookupError):
    """A format of this name does not exist, or it does not serve this kind of file."""


def read(
    source: Source,
    *,
    kind: Kind,
    format: str | None = None,
    name: str | None = None,
    line_format: LineFormat | None = None,
    limits: Limits | None = None,
    on_entry: OnEntry | None = None,
    sizes: Callable[[], Mapping[str, tuple[int, int]]] | None = None,
) -> Archive:
    r"""Read a ground truth or results; whatever is wrong becomes a problem of the answer.

    Parameters
    ----------
    source : path or binary file
    kind : "truth" or "results"
    format : str, optional
        A key of ``FORMATS``; without it the format is guessed, and where lines allow two readings a
        question is asked.
    name : str, optional
        Name of the file in messages; by default its own name.
    line_format : LineFormat, optional
        Format of the coordinates of lines, if only the fields after them are to be guessed.
    limits : Limits, optional
    on_entry : callable, optional
        Called with the number of finished entries and of all; an exception ends the reading and
        reaches the caller.
    sizes : callable, optional
        Called, where a format has shares of the sides of images, for their width and height.

    Returns
    -------
    Archive
        Regions of each image, those of unreadable lines left out; problems say which. A file of
        several methods has them in ``methods``.

    Raises
    ------
    UnknownFormat
        If there is no such format, or it does not hold this kind.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO(b"image,left,top,right,bottom,text\nimg_1,38,43,126,60,CARE\n")
    >>> archive = read(file, kind="truth", name="gt.csv")
    >>> archive.format, archive.regions["img_1"][0].text, archive.problems
    ('csv', 'CARE', ())
    """
    guessed = None if format else guess(source, name)
    slug = guessed.format if guessed else format
    if guessed is not None and guessed.looks_like is not None:
        return _not_read(guessed.looks_like, source_name(source, name))
    limits = limits or Limits()
    chosen = _chosen(kind, format, slug, line_format)
    archive = chosen.read(source, kind, name, limits, on_entry)
    if archive.counts.get("L1") and slug in LINES and (format or line_format):
        guessed_lines = lines_as(None, None)(source, kind, name, limits, on_entry)
        return _other_format(archive, guessed_lines, kind)
    if archive.format == "yolo":
        from ..readers.yolo import in_pixels

        return in_pixels(archive, source, sizes)
    return archive


def _chosen(
    kind: Kind, format: str | None, slug: str | None, line_format: LineFormat | None
) -> Format:
    any_lines = Format("", "", "", BOTH, lines_as(line_format, None))
    chosen = any_lines if format is None and slug in LINES else FORMATS.get(slug or "")
    if format is None:
        # A file of no known format is reported as an invalid zip of text files.
        chosen = chosen or any_lines
    if chosen is None or kind not in chosen.kinds:
        known = ", ".join(of.slug for of in FORMATS.values() if kind in of.kinds)
        raise UnknownFormat(
            "{kind} are not read as {format}; formats: {known}",
            kind=kind,
            format=repr(format),
            known=known,
        )
    return chosen


def _other_format(archive: Archive, guessed: Archive, kind: Kind) -> Archive:
    """Return the regions, or, if most lines have another format, a question about them."""
    n_wrong = archive.counts.get("L1", 0)
    # Few lines tell little of how they are meant.
    is_most = n_wrong >= _MIN_WRONG and n_wrong > archive.n_regions
    # Boxes by their sides are lines of boxes, too, most of them without a size.
    n_others = sum(problem.code != "L4" for problem in guessed.errors)
    if not is_most or guessed.counts.get("L1") or 10 * n_others > n_wrong:
        return archive
    problems = Problems(archive.name, list(guessed.problems), Counter(guessed.counts))
    wrong = next(problem for problem in archive.errors if problem.code == "L1")
    problems.question(
        "F1",
        "{n_wrong} with other than {wanted}",
        "that you say how the lines are meant: {formats} fits them ({reading})",
        wrong.entry,
        wrong.line,
        text=wrong.text,
        n_wrong=ngettext_noop("{n} line", "{n} lines", n_wrong),
        wanted=wrong.expected,
        formats=guessed.format,
        reading=guessed.reading,
    )
    return replace(guessed, problems=tuple(problems.found), counts=dict(problems.counts))


def _not_read(look: str, name: str) -> Archive:
    problems = Problems(name)
    read = ", ".join(FORMATS)
    problems.error(
        "A1", "what looks like {look}", "a format that is read: {read}", look=look, read=read
    )
    return Archive(name, LineFormat.QUAD, {}, tuple(problems.found), dict(problems.counts))
