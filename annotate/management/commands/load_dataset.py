"""Load ground truth and photographs as a new dataset."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotate.imports.immediate import FileToLoad, load_files
from annotate.imports.models import FileKind
from annotate.management import reporting
from annotate.management.site_command import SiteCommand
from protocols.formats.recognition.reading import FORMATS


class Command(SiteCommand):
    help = "Load a zip of ground truth and a folder or zip of photographs; everything or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="what people will read; its address is made from it")
        parser.add_argument("--truth", required=True, help="zip of gt_NAME.txt files")
        parser.add_argument("--images", help="folder or zip of photographs")
        parser.add_argument("--format", choices=["auto", *FORMATS], default="auto")
        parser.add_argument("--provenance", default="")
        parser.add_argument("--licence", default="")

    def handle(self, **options: Any) -> None:
        line_format = "" if options["format"] == "auto" else options["format"]
        files = [FileToLoad(Path(options["truth"]), FileKind.TRUTH, format=line_format)]
        if options["images"] is not None:
            files.append(FileToLoad(Path(options["images"]), FileKind.PHOTOGRAPHS))
        [receipt] = load_files(
            files,
            name=options["name"],
            provenance=options["provenance"],
            licence=options["licence"],
            progress=reporting.TellingProgress(self.stdout),
        )
        reporting.write_warnings(self.stderr, receipt)
        slug = receipt.dataset.slug if receipt.dataset else ""
        names = ("images", "regions", "ignored", "photographs")
        counts = reporting.in_words(receipt.counts, *names)
        self.stdout.write(f"Loaded {slug}: {counts}.")
