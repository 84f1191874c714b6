"""The job that writes all figures in all formats into one zip."""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import IO, Any, Final

from django.contrib.auth.models import User

from annotate.jobs import services as jobs
from annotate.jobs.files import publish_file
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from annotate.reports.arguments import arguments_of, asked_for, kept_asked_for
from annotate.reports.cache import Asked
from annotate.reports.models import KeptReport
from rankings.elicitation.log import CRITERIA

from .building import NO_FILES, FigureFile, NoFiles, build, can_write
from .data import FigureData
from .figure import Figure
from .files import FORMATS
from .kinds import NAMES
from .themes import WIDTHS_MM, Paper

KIND: Final = "figures.files"


def start(asked: Asked, *, person: User, kept: KeptReport | None = None) -> Job:
    """Start writing every figure of a report in every format and width, in the light theme."""
    title = f"All figures of {asked.study}"
    if kept:
        title = f"All figures of report {kept.pk} of {asked.study}"
    return jobs.start(
        kind=KIND,
        person=person,
        title=title,
        kept=kept.pk if kept else None,
        **arguments_of(asked),
    )


def write(arguments: Mapping[str, Any], running: Running) -> None:
    """Do the work of the job; raises JobFailed if its subject was deleted, or NoFiles."""
    if not can_write():
        raise NoFiles(NO_FILES)
    asked = asked_for(arguments)
    kept = kept_asked_for(arguments, asked.study)

    def write_zip(stream: IO[bytes]) -> None:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for at, criterion in enumerate(CRITERIA):
                data = FigureData(**vars(asked), criterion=criterion, kept=kept)
                figures = [figure for figure in build(data, NAMES).values() if not figure.is_empty]
                n_files = len(figures) * len(WIDTHS_MM) * len(FORMATS)
                for done, (name, content) in enumerate(_files(data, figures)):
                    running.tell(at * n_files + done, len(CRITERIA) * n_files, "Files written")
                    archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)

    publish_file(running, f"{asked.study.slug}-figures.zip", write_zip)


def _files(data: FigureData, figures: Sequence[Figure]) -> Iterator[tuple[str, bytes]]:
    for figure, (width, millimetres), extension in product(figures, WIDTHS_MM.items(), FORMATS):
        file = FigureFile(figure, Paper("light", width), data.facts, extension)
        yield f"{data.criterion}/{figure.name}-{millimetres}mm.{extension}", file.content()
