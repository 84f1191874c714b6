"""Load per-image scores computed by another program."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotate.imports.immediate import FileToLoad, load_files
from annotate.imports.models import FileKind
from annotate.management import reporting
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Load a CSV of scores (image,method,recall,precision) of any protocol; all or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="slug of the dataset")
        parser.add_argument("scores", metavar="FILE.csv")
        parser.add_argument("--protocol", required=True, help="what reports call it")
        parser.add_argument("--per-cent", action="store_true", help="the scores are in 0 to 100")

    def handle(self, **options: Any) -> None:
        dataset = reporting.dataset_named(options["dataset"])
        scores = FileToLoad(
            Path(options["scores"]),
            FileKind.SCORES,
            title=options["protocol"],
            per_cent=options["per_cent"],
        )
        [receipt] = load_files([scores], dataset=dataset)
        reporting.write_warnings(self.stderr, receipt)
        self.stdout.write(
            f"Loaded {receipt.counts['scores']} scores of {receipt.counts['protocol']}."
        )
