"""Conversion of ground truth or results into another format; readers are imported on use."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from text_rankings.base.counts import counted

from ..core.errors import ProtocolError

if TYPE_CHECKING:
    from ..formats.containers.contents import Archive, Kind


class NotConverted(ProtocolError, ValueError):
    """A file that cannot be read as a single set, or written; the message says why."""


def add_command(commands: Any) -> None:
    """Add the command ``convert``."""
    command = commands.add_parser("convert", help="write ground truth or results in another format")
    command.add_argument("file", metavar="FILE")
    command.add_argument("--to", required=True, metavar="SLUG", help="paddle, labelme, coco-json …")
    command.add_argument("--out", required=True, type=Path, metavar="FILE")
    command.add_argument("--kind", choices=["truth", "results"], help="where that is not found out")
    command.add_argument("--format", metavar="SLUG", help="how the file is written")
    command.add_argument("--encoding", metavar="NAME", help="of texts that are not UTF-8: cp932 …")
    command.add_argument(
        "--images",
        metavar="PHOTOS",
        help="zip or folder of photographs, for their sizes and EXIF orientations",
    )
    command.add_argument(
        "--reading",
        default="",
        choices=["stored", "upright"],
        help="the frame of boxes on photographs with an EXIF orientation, where nothing tells it",
    )
    command.add_argument(
        "--without", default="", metavar="FIELDS", help="to leave out: id,parent …"
    )
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    for line in convert(
        options.file,
        options.out,
        to=options.to,
        kind=options.kind,
        format=options.format,
        encoding=options.encoding,
        images=options.images,
        reading=options.reading,
        without=[field for field in options.without.split(",") if field],
    ):
        print(line, file=sys.stderr)


def convert(
    file: str,
    out: Path,
    *,
    to: str,
    kind: "Kind | None" = None,
    format: str | None = None,
    encoding: str | None = None,
    images: str | None = None,
    reading: str = "",
    without: Sequence[str] = (),
) -> Iterator[str]:
    """Write a file in another format; yield warnings and a summary.

    The kind and ``format`` are detected if they are not given; ``images`` is a zip or folder of
    photographs, for their sizes and EXIF orientations, ``reading`` the frame of boxes on them,
    "stored" or "upright", where nothing tells it. ``without`` names fields to leave out. Boxes are
    written in the upright frame. Raises NotConverted if the file cannot be read as a single set, or
    ``out`` cannot be written, NoPhotographs if ``images`` has none, and NotWritable if the format
    cannot hold some of the data; then nothing is written.
    """
    from ..formats.recognition.guessing import guess
    from ..formats.recognition.reading import read
    from ..formats.summaries import summaries
    from ..formats.writing.converting import write
    from ..loading.looking import look_alone
    from ..loading.photographs import known_pictures, photographs, with_answers

    if not Path(file).exists():
        raise NotConverted(f"{file} cannot be read: there is no such file")
    if kind is None:
        kind = "results" if guess(file).kind == "results" else "truth"

    given = None if images is None else photographs(images)

    def sizes_known() -> Mapping[str, tuple[int, int]]:
        return {} if given is None else given

    archive = read(file, kind=kind, format=format, sizes=sizes_known, encoding=encoding)
    _refuse(file, archive)
    known = known_pictures(file, images)
    noticed = look_alone(archive, known, reading, kind)
    archive = with_answers(noticed, known, given is not None, reading, "--reading {}".format)
    _refuse(file, archive)
    sizes = {**archive.sizes, **sizes_known()}
    content = write(archive.regions, to, kind=kind, sizes=sizes, without=without)
    try:
        out.write_bytes(content)
    except OSError as fault:
        raise NotConverted(f"{out} cannot be written: {fault.strerror}") from fault
    for of in summaries(archive.warnings, archive.counts):
        yield from of.lines()
    regions = counted(archive.n_regions, "region")
    n_images = counted(len(archive.regions), "image")
    yield f"{out}: {regions} of {n_images}, read as {archive.format}, written as {to}"


def _refuse(file: str, archive: "Archive") -> None:
    from ..formats.summaries import summaries

    stops = [*archive.errors, *archive.questions]
    if stops:
        told = [line for of in summaries(stops, {}) for line in of.lines()]
        raise NotConverted("\n".join(told))
    if archive.methods:
        methods = ", ".join(archive.methods)
        raise NotConverted(f"{file} holds several methods ({methods}); a file is written of one")
