"""Load the result sets of methods on a dataset."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.imports import reporting
from annotate.imports.errors import NotLoaded
from annotate.imports.services import EMPTY, NOT_EVALUATED, ResultArchive, load_results


class Command(BaseCommand):
    help = "Load zips of results, one for each method, named after it; everything or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="slug of the dataset")
        parser.add_argument("archives", nargs="+", metavar="ZIP", help="zip of res_NAME.txt files")
        parser.add_argument("--method", help="name of the method, for a single zip")
        parser.add_argument(
            "--missing",
            choices=[EMPTY, NOT_EVALUATED],
            help="what an image without a file means; without this it refuses the load",
        )

        parser.add_argument(
            "--replace",
            action="store_true",
            help="results that are loaded and nobody was asked about",
        )

    def handle(self, **options: Any) -> None:
        dataset = reporting.dataset_named(options["dataset"])
        paths = [Path(path) for path in options["archives"]]
        if options["method"] and len(paths) > 1:
            raise CommandError("--method names one method; give one zip with it.", returncode=2)
        archives = [ResultArchive(path, options["method"] or path.stem) for path in paths]
        try:
            receipt = load_results(
                dataset=dataset,
                archives=archives,
                missing=options["missing"],
                replace=options["replace"],
                progress=reporting.progress_to(self.stdout, "archives"),
            )
        except NotLoaded as refusal:
            raise reporting.refused(self.stderr, refusal) from refusal
        reporting.write_warnings(self.stderr, receipt)
        for name, counts in receipt.counts["methods"].items():
            numbers = ", ".join(
                f"{number} {what.replace('_', ' ')}" for what, number in counts.items()
            )
            self.stdout.write(f"Loaded {name}: {numbers}.")
