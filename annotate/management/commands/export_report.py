"""Write a study's report to a file or to standard output."""

import io
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError

from annotate.figures.data import FigureData
from annotate.management import reporting
from annotate.management.site_command import SiteCommand
from annotate.publication.work import write_paper
from annotate.reports import exports, services
from annotate.reports.cache import Asked
from annotate.reports.models import data_of
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.agreement.settings import Settings, declared_settings
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
        for name, declared in declared_settings().items():
            words = f"{declared.words}; the usual one without it"
            parser.add_argument(
                _option(name),
                choices=list(declared.choices) if declared.is_closed else None,
                help=words,
            )
        parser.add_argument("--layout", choices=LAYOUTS, default="side", help="of the LaTeX table")
        parser.add_argument("--width", choices=WIDTHS, default="page", help="of the LaTeX table")
        parser.add_argument(
            "--intervals", action="store_true", help="of the Scores, in the LaTeX table"
        )
        parser.add_argument(
            "--protocol",
            action="append",
            help="name of a protocol; may be repeated; all without it",
        )

    def handle(self, **options: Any) -> None:
        study = reporting.study_named(options["study"])
        runs = _chosen(services.available_runs(study), options["protocol"])
        asked = Asked(study, _settings(study, options), runs)
        look = Look(options["layout"], options["width"], options["intervals"])
        content = (
            _paper(asked, look)
            if options["format"] == PAPER
            else _text(asked, options["format"], look).encode()
        )
        if options["out"] is None:
            if options["format"] == PAPER:
                raise CommandError("Say where the zip is to be written: --out FILE", returncode=2)
            self.stdout.write(content.decode(), ending="")
            return
        # Written as bytes, so that line endings are not converted.
        options["out"].write_bytes(content)
        self.stderr.write(f"Wrote {options['out']}.")


def _text(asked: Asked, extension: str, look: Look) -> str:
    if look.intervals and extension == "tex":
        built, data = services.analysed_report(asked)
        return exports.export(built, extension, look, data["analysis"])
    return exports.export(services.study_report(asked), extension, look)


def _paper(asked: Asked, look: Look) -> bytes:
    computed = services.compute_report(asked)
    figures = [FigureData(**vars(asked), criterion=criterion) for criterion in CRITERIA]
    stream = io.BytesIO()
    write_paper(data_of(computed.content), look, figures, stream)
    return stream.getvalue()


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _settings(study: Study, options: Mapping[str, Any]) -> Settings:
    """Return the settings of the options, and those of the study where there is none."""
    given = {}
    for name, declared in declared_settings().items():
        if options.get(name) is not None:
            text = str(options[name])
            try:
                given[name] = declared.parsed(text)
            except ValueError as fault:
                kind = "a whole number" if isinstance(declared.default, int) else "a number"
                none = " or none" if None in declared.choices else ""
                raise CommandError(
                    f"{_option(name)} must be {kind}{none}, not {text!r}", returncode=2
                ) from fault
    try:
        return replace(services.usual_settings(study), **given)
    except RankingError as refusal:
        raise CommandError(str(refusal), returncode=2) from refusal


def _chosen(runs: list[ProtocolRun], names: list[str] | None) -> list[ProtocolRun]:
    if names is None:
        return runs
    unknown = sorted(set(names) - {run.name for run in runs})
    if unknown:
        known = ", ".join(run.name for run in runs) or "none is scored"
        raise CommandError(f"No scores of {', '.join(unknown)}; protocols: {known}.", returncode=2)
    return [run for run in runs if run.name in names]
