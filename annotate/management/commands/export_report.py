"""Write a study's report to a file or to standard output."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.reports import exports, services
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.errors import RankingError
from rankings.report import Settings


class Command(BaseCommand):
    help = "Export a study's Best / Worst / Score tables as CSV, JSON, LaTeX or Markdown."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("--format", choices=exports.FORMATS, default="csv")
        parser.add_argument("--out", type=Path, help="file to write; standard output without it")
        parser.add_argument(
            "--decimals", default="4", help="decimals the scores are rounded to, or none"
        )
        parser.add_argument("--distance", choices=["edit", "kemeny"], default="edit")
        parser.add_argument("--beta", type=float, default=1.0)
        parser.add_argument("--min-annotators", type=int, help="the study's setting without it")
        parser.add_argument(
            "--protocol",
            action="append",
            help="name of a protocol; may be repeated; all without it",
        )

    def handle(self, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).select_related("dataset").first()
        if study is None:
            known = ", ".join(Study.objects.values_list("slug", flat=True)) or "there is none yet"
            raise CommandError(
                f"There is no study {options['study']!r}; studies: {known}.", returncode=2
            )
        try:
            settings = Settings(
                decimals=_decimals(options["decimals"]),
                distance=options["distance"],
                beta=options["beta"],
                min_annotators=(
                    study.min_annotators
                    if options["min_annotators"] is None
                    else options["min_annotators"]
                ),
            )
        except RankingError as refusal:
            raise CommandError(str(refusal), returncode=2) from refusal
        runs = _chosen(services.available_runs(study), options["protocol"])
        built = services.study_report(study=study, settings=settings, runs=runs)
        text = exports.export(built, options["format"])
        if options["out"] is None:
            self.stdout.write(text, ending="")
            return
        try:
            # The bytes as they are: no translation of line ends.
            options["out"].write_bytes(text.encode())
        except OSError as fault:
            raise CommandError(f"{options['out']}: {fault.strerror}", returncode=1) from fault
        self.stderr.write(f"Wrote {options['out']}.")


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
