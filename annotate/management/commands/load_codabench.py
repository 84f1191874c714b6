"""Load what an organiser downloads from Codabench as result sets of a dataset."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotate.errors import Refusal
from annotate.imports.codabench import chosen, load_submissions, read_download, read_results
from annotate.management import reporting
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Load submissions that were downloaded from Codabench as result sets of a dataset."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="slug of the dataset")
        parser.add_argument(
            "files",
            nargs="+",
            type=Path,
            metavar="FILE.zip",
            help="bulk_submissions.zip, or single zips",
        )
        parser.add_argument(
            "--results",
            type=Path,
            metavar="FILE.json",
            help="the results, downloaded with All JSON",
        )
        parser.add_argument("--phase", type=int, help="ID of the phase (default: the last)")
        parser.add_argument("--seed", type=int, default=1, help="order of Team 1, 2 … (default: 1)")
        parser.add_argument(
            "--format", default="", help="how results are written, as of import_files"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="list the submissions that count, and load none"
        )

    def handle(self, **options: Any) -> None:
        dataset = reporting.dataset_named(options["dataset"])
        try:
            results = None
            if (path := options["results"]) is not None:
                results = read_results(path.read_text(encoding="utf-8-sig"), path.name)
            given = [of for path in options["files"] for of in read_download(path)]
            submissions = chosen(given, results, phase=options["phase"], seed=options["seed"])
        except (OSError, UnicodeDecodeError, Refusal) as refusal:
            raise CommandError(str(refusal)) from refusal
        for of in submissions:
            scores = "".join(f", {key} {value}" for key, value in (of.scores or {}).items())
            self.stdout.write(f"{of.number} {of.owner}: {of.method} ({of.reason}{scores})")
        if options["dry_run"]:
            return
        n_refused = 0
        for outcome in load_submissions(dataset, submissions, format=options["format"]):
            said = outcome.refusal or ("loaded" if outcome.is_new else "was loaded before")
            n_refused += bool(outcome.refusal)
            self.stdout.write(f"{outcome.submission.number}: {said}")
        if n_refused:
            raise CommandError(f"{n_refused} of {len(submissions)} submissions were refused.")
