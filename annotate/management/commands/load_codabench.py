"""Load what an organiser downloads from Codabench as result sets of a dataset."""

from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotate.codabench.downloads import proposed, receive
from annotate.codabench.loading import load_submissions, score_as_settings
from annotate.errors import Refusal
from annotate.imports.immediate import Untold
from annotate.management import reporting
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Load submissions that were downloaded from Codabench as result sets of a dataset."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("dataset", help="slug of the dataset")
        add(
            "files",
            type=Path,
            nargs="+",
            metavar="FILE.zip",
            help="bulk_submissions.zip, or single zips",
        )
        add(
            "--results",
            type=Path,
            help="the results, downloaded with All JSON, All CSV or This CSV",
        )
        add(
            "--bundle",
            type=Path,
            metavar="FILE.zip",
            help="the competition's bundle, to score and compare with",
        )
        add("--phase", type=int, help="ID of the phase (default: the last)")
        add("--seed", type=int, default=1, help="order of Team 1, 2 … (default: 1)")
        add("--format", default="", help="how results are written, as of import_files")
        add("--dry-run", action="store_true", help="list the submissions that count, and load none")

    def handle(self, **options: Any) -> None:
        dataset = reporting.dataset_named(options["dataset"])
        with ExitStack() as opened:

            def file(path: Path | None) -> Any:
                return path and (path.name, opened.enter_context(path.open("rb")))

            try:
                named = {name: file(options[name]) for name in ("results", "bundle")}
                download = receive(dataset, map(file, options["files"]), **named)
                opened.callback(download.forget)
                listed, without = proposed(download, phase=options["phase"], seed=options["seed"])
            except (OSError, Refusal) as refusal:
                raise CommandError(str(refusal)) from refusal
            chosen = [of for of in listed if of.reason]
            for of in chosen:
                scores = "".join(f", {key} {value}" for key, value in of.scores.items())
                said = f"{of.number} {of.owner}: {of.method} ({of.reason}{scores})"
                self.stdout.write(f"{said}, {of.n_files} files")
            for name in download.others:
                self.stdout.write(f"no submission: {name}")
            for entry in without:
                self.stdout.write(f"on the leaderboard, without a zip: {entry}")
            if not options["dry_run"]:
                self._load(dataset, download, chosen, options["format"])

    def _load(self, dataset: Any, download: Any, chosen: Any, format: str) -> None:
        outcomes = []
        for of in load_submissions(dataset, download, chosen, format=format):
            self.stdout.write(f"{of.submission.number}: {of.said}")
            outcomes.append(of)
        for said in score_as_settings(dataset, download, outcomes, Untold()):
            self.stdout.write(said)
        if n_refused := sum(not of.method for of in outcomes):
            raise CommandError(f"{n_refused} of {len(outcomes)} submissions were refused.")
