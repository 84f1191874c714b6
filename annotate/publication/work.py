"""Jobs that write the files for a paper, and those that public pages offer."""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import IO, Any, Final

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import translation

from annotate.exchange.bundles.writing import write_bundle
from annotate.figures.building import FigureFile, build, can_write
from annotate.figures.data import FigureData, data_of_kept
from annotate.figures.figure import Figure
from annotate.figures.kinds import NAMES
from annotate.figures.parts import ENGLISH
from annotate.figures.themes import Paper
from annotate.jobs import services as jobs
from annotate.jobs.engine import computing
from annotate.jobs.errors import JobFailed
from annotate.jobs.files import publish_file
from annotate.jobs.models import Job
from annotate.jobs.registry import Progress, Running
from annotate.reports import services as reports
from annotate.reports.arguments import arguments_of, asked_for, kept_asked_for
from annotate.reports.cache import Asked
from annotate.reports.models import KeptReport, data_of
from rankings.elicitation.log import CRITERIA
from rankings.output.latex import Look

from . import files, papers
from .descriptions import public_report
from .models import PublicPage
from .papers import USUAL, Chosen

PAPER: Final = "publication.paper"
FILE: Final = "publication.file"
_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)


def start_paper(
    asked: Asked,
    *,
    look: Look,
    person: User,
    kept: KeptReport | None = None,
    chosen: Chosen = USUAL,
) -> Job:
    """Start writing all files for a paper from a report into one zip."""
    title = f"For a paper: {asked.study}"
    if kept:
        title = f"For a paper: report {kept.pk} of {asked.study}"
    return jobs.start(
        kind=PAPER,
        person=person,
        title=title,
        kept=kept.pk if kept else None,
        look=[look.layout, look.width, look.intervals],
        chosen=asdict(chosen),
        **arguments_of(asked),
    )


def paper(arguments: Mapping[str, Any], running: Running) -> None:
    """Run the job. Raises JobFailed if its subject was deleted."""
    asked = asked_for(arguments)
    study, kept = asked.study, kept_asked_for(arguments, asked.study)
    if kept is not None:
        data = kept.data
    else:
        running.tell(0, 0, "Computing the report")
        with computing() as executor:
            computed = reports.compute_report(asked, executor)
        data = data_of(computed.content)
    look = Look(*arguments["look"])
    figures = [
        data_of_kept(study, kept, criterion)
        if kept
        else FigureData(**vars(asked), criterion=criterion)
        for criterion in CRITERIA
    ]

    def write(stream: IO[bytes]) -> None:
        chosen = Chosen(**arguments["chosen"])
        write_paper(data, look, figures, stream, running, chosen)

    publish_file(running, f"{study.slug}-for-a-paper.zip", write)


def start_file(*, page: PublicPage, person: User | None) -> Job:
    """Start writing a file that a public page offers."""
    return jobs.start(
        kind=FILE,
        person=person,
        title=f"File of the {page}",
        page=page.pk,
        download=page.download,
    )


def file(arguments: Mapping[str, Any], running: Running) -> None:
    """Run the job. Raises JobFailed if the page is gone or offers something else."""
    page = _page(arguments)
    study = page.report.study

    def write(stream: IO[bytes]) -> None:
        if page.download == PublicPage.Download.STUDY:
            write_bundle(study, stream, words=False, tell=running.tell)
            return
        report = public_report(page)
        figures = [data_of_kept(study, report, criterion) for criterion in CRITERIA]
        write_paper(report.data, Look(intervals=True), figures, stream, running)

    name, digest, n_bytes = files.written(write)
    try:
        with running.publishing() as outcome:
            page = _page(arguments)
            files_of_page = {"file": name, "file_sha256": digest, "file_bytes": n_bytes}
            PublicPage.objects.filter(pk=page.pk).update(**files_of_page)
            outcome.text = f"The file of the {page} can be downloaded there."
            outcome.address = reverse("publication:publish", args=[study.slug, page.report_id])
    except BaseException:
        files.remove(name)
        raise


def _page(arguments: Mapping[str, Any]) -> PublicPage:
    pages = PublicPage.objects.select_related("report__study__dataset")
    page = pages.filter(pk=arguments["page"], download=arguments["download"]).first()
    if page is None:
        raise JobFailed("The public page is gone, or now offers something else.")
    return page


def write_missing() -> None:
    """Start writing the missing files of pages, for example after a backup was restored."""
    files.sweep()
    for page in PublicPage.objects.exclude(download=PublicPage.Download.NOTHING):
        if files.path_of(page) is None:
            start_file(page=page, person=None)


def write_paper(
    data: Mapping[str, Any],
    look: Look,
    figures: Sequence[FigureData],
    stream: IO[bytes],
    running: Progress | None = None,
    chosen: Chosen = USUAL,
) -> None:
    """Write the zip for a paper: all texts, and the figures as PDF if the site can write them."""
    drawn = dict(_drawn(figures)) if can_write() else {}
    captions = {name: f"{figure.title}. {figure.caption}" for name, (figure, _) in drawn.items()}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in papers.files(data, look, captions, chosen):
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), text, zipfile.ZIP_DEFLATED)
        for done, (name, (_, file)) in enumerate(drawn.items()):
            if running is not None:
                running.tell(done, len(drawn), "Drawing figures")
            info = zipfile.ZipInfo(f"{name}.pdf", _LONG_AGO)
            archive.writestr(info, file.content(), zipfile.ZIP_DEFLATED)


def _drawn(figures: Sequence[FigureData]) -> Iterator[tuple[str, tuple[Figure, FigureFile]]]:
    """Yield the figures that are not empty, by their files without extension."""
    with translation.override(ENGLISH):
        for data in figures:
            for figure in build(data, NAMES).values():
                if not figure.is_empty:
                    file = FigureFile(figure, Paper("light", "double"), data.facts, "pdf")
                    yield f"figures/{data.criterion}/{figure.name}", (figure, file)
