"""Load what an organiser downloads from Codabench as result sets of a dataset."""

from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotate.codabench.downloads import Download, File, receive
from annotate.codabench.loading import load_submissions, score_as_settings
from annotate.datasets.models import Dataset
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
        add("--dry-run", action="store_true", help="list the submissions that count, and load none")

    def handle(self, **options: Any) -> None:
        dataset = reporting.dataset_named(options["dataset"])
        with ExitStack() as opened:

            def file(path: Path) -> File:
                return path.name, opened.enter_context(path.open("rb"))

            try:
                more = {
                    name: file(path) for name in ("results", "bundle") if (path := options[name])
                }
                files = map(file, options["files"])
                download = receive(
                    dataset, files, phase=options["phase"], seed=options["seed"], **more
                )
            except (OSError, Refusal) as refusal:
                raise CommandError(str(refusal)) from refusal
            opened.callback(download.forget)
            self._list(download)
            if not options["dry_run"]:
                self._load(dataset, download)

    def _list(self, download: Download) -> None:
        for of in download.submissions:
            if of.reason:
                scores = "".join(f", {key} {value}" for key, value in of.scores.items())
                self.stdout.write(f"{of.number} {of.owner}: {of.method} ({of.reason}{scores})")
        for name in download.others:
            self.stdout.write(f"no submission: {name}")
        for entry in download.without:
            self.stdout.write(f"on the leaderboard, without a zip: {entry}")

    def _load(self, dataset: Dataset, download: Download) -> None:
        chosen = {of.key: of.method for of in download.submissions if of.reason}
        outcomes = []
        for of in load_submissions(dataset, download, chosen, progress=Untold()):
            self.stdout.write(f"{of.submission}: {of.said}")
            outcomes.append(of)
        for said in score_as_settings(dataset, download.settings, outcomes, Untold()):
            self.stdout.write(said)
        if n_refused := sum(not of.method for of in outcomes):
            raise CommandError(f"{n_refused} of {len(outcomes)} submissions were refused.")
