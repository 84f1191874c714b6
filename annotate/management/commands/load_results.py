"""Load the result sets of methods on a dataset."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotate.imports.immediate import FileToLoad, load_files
from annotate.imports.models import FileKind, Missing
from annotate.management import reporting
from annotate.management.site_command import SiteCommand
from protocols.formats.recognition.reading import FORMATS


class Command(SiteCommand):
    help = "Load zips of results, one for each method, named after it; everything or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="slug of the dataset")
        parser.add_argument("archives", nargs="+", metavar="ZIP", help="zip of res_NAME.txt files")
        parser.add_argument("--method", help="name of the method, for a single zip")
        parser.add_argument(
            "--missing",
            choices=Missing.values,
            help="what an image without a file means; without this it refuses the load",
        )
        parser.add_argument("--format", choices=["auto", *FORMATS], default="auto")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace loaded results that no annotator has seen",
        )

    def handle(self, **options: Any) -> None:
        dataset = reporting.dataset_named(options["dataset"])
        paths = [Path(path) for path in options["archives"]]
        if options["method"] and len(paths) > 1:
            raise CommandError("--method names one method; give one zip with it.", returncode=2)
        files = [
            FileToLoad(
                path,
                FileKind.RESULTS,
                title=options["method"] or path.stem,
                format="" if options["format"] == "auto" else options["format"],
                missing=options["missing"] or "",
            )
            for path in paths
        ]
        [receipt] = load_files(
            files,
            dataset=dataset,
            replace=options["replace"],
            progress=reporting.TellingProgress(self.stdout),
        )
        reporting.write_warnings(self.stderr, receipt)
        for name, counts in receipt.counts["methods"].items():
            names = ("results", "boxes", "empty", "without_file", "not_evaluated")
            self.stdout.write(f"Loaded {name}: {reporting.in_words(counts, *names)}.")
