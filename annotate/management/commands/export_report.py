"""Write a study's report to a file or to standard output."""

import io
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError

from annotate.figures.data import FigureData
from annotate.management import reporting
from annotate.management.site_command import SiteCommand
from annotate.publication.work import write_paper
from annotate.reports import exports, services
from annotate.reports.models import data_of
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.agreement.report import Settings
from rankings.elicitation.log import CRITERIA
from rankings.errors import RankingError
from rankings.output.latex import LAYOUTS, WIDTHS, Look

PAPER: Final = "paper"


class Command(SiteCommand):
    help = (
        "Export a study's Best / Worst / Score tables as CSV, JSON, LaTeX or Markdown, or all that a "
        "paper needs as a zip."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("--format", choices=[*exports.FORMATS, PAPER], default="csv")
        parser.add_argument("--out", type=Path, help="file to write; standard output without it")
        parser.add_argument(
            "--decimals", default="4", help="decimals the scores are rounded to, or none"
        )
        parser.add_argument("--distance", choices=["edit", "kemeny"], default="edit")
        parser.add_argument("--layout", choices=LAYOUTS, default="side", help="of the LaTeX table")
        parser.add_argument("--width", choices=WIDTHS, default="page", help="of the LaTeX table")
        parser.add_argument(
            "--intervals", action="store_true", help="of the Scores, in the LaTeX table"
        )
        parser.add_argument("--beta", type=float, default=1.0)
        parser.add_argument("--min-annotators", type=int, help="the study's setting without it")
        parser.add_argument(
            "--protocol",
            action="append",
            help="name of a protocol; may be repeated; all without it",
        )

    def handle(self, **options: Any) -> None:
        study = reporting.study_named(options["study"])
        least = options["min_annotators"]
        try:
            settings = Settings(
                decimals=_decimals(options["decimals"]),
                distance=options["distance"],
                beta=options["beta"],
                min_annotators=study.min_annotators if least is None else least,
            )
        except RankingError as refusal:
            raise CommandError(str(refusal), returncode=2) from refusal
        runs = _chosen(services.available_runs(study), options["protocol"])
        look = Look(options["layout"], options["width"], options["intervals"])
        content = (
            _paper(study, settings, runs, look)
            if options["format"] == PAPER
            else _text(study, settings, runs, options["format"], look).encode()
        )
        if options["out"] is None:
            if options["format"] == PAPER:
                raise CommandError("Say where the zip is to be written: --out FILE", returncode=2)
            self.stdout.write(content.decode(), ending="")
            return
        # Written as bytes, so that line endings are not converted.
        options["out"].write_bytes(content)
        self.stderr.write(f"Wrote {options['out']}.")


def _text(
    study: Study, settings: Settings, runs: list[ProtocolRun], extension: str, look: Look
) -> str:
    if look.intervals and extension == "tex":
        built, data = services.analysed_report(study=study, settings=settings, runs=runs)
        return exports.export(built, extension, look, data["analysis"])
    return exports.export(
        services.study_report(study=study, settings=settings, runs=runs), extension, look
    )


def _paper(study: Study, settings: Settings, runs: list[ProtocolRun], look: Look) -> bytes:
    computed = services.compute_report(study=study, settings=settings, runs=runs)
    figures = [FigureData(study, runs, settings, criterion) for criterion in CRITERIA]
    stream = io.BytesIO()
    write_paper(data_of(computed.content), look, figures, stream)
    return stream.getvalue()


def _decimals(text: str) -> int | None:
    if text == "none":
        return None
    try:
        return int(text)
    except ValueError as fault:
        raise CommandError(
            f"--decimals must be a whole number or none, not {text!r}", returncode=2
        ) from fault


def _chosen(runs: list[ProtocolRun], names: list[str] | None) -> list[ProtocolRun]:
    if names is None:
        return runs
    unknown = sorted(set(names) - {run.name for run in runs})
    if unknown:
        known = ", ".join(run.name for run in runs) or "none is scored"
        raise CommandError(f"No scores of {', '.join(unknown)}; protocols: {known}.", returncode=2)
    return [run for run in runs if run.name in names]
