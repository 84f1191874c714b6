"""Load ground truth and photographs as a new dataset."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from annotate.imports import reporting
from annotate.imports.errors import NotLoaded
from annotate.imports.services import load_dataset
from protocols.formats.reading import FORMATS


class Command(BaseCommand):
    help = "Load a zip of ground truth and a folder or zip of photographs; everything or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="what people will read; its address is made from it")
        parser.add_argument("--truth", required=True, help="zip of gt_NAME.txt files")
        parser.add_argument("--images", help="folder or zip of photographs")
        parser.add_argument("--format", choices=["auto", *FORMATS], default="auto")
        parser.add_argument("--provenance", default="")
        parser.add_argument("--licence", default="")

    def handle(self, **options: Any) -> None:
        try:
            receipt = load_dataset(
                name=options["name"],
                truth=options["truth"],
                images=options["images"],
                line_format=None if options["format"] == "auto" else options["format"],
                provenance=options["provenance"],
                licence=options["licence"],
                progress=reporting.progress_to(self.stdout, "photographs"),
            )
        except NotLoaded as refusal:
            raise reporting.refused(self.stderr, refusal) from refusal
        reporting.write_warnings(self.stderr, receipt)
        counts = ", ".join(f"{number} {what}" for what, number in receipt.counts.items())
        self.stdout.write(f"Loaded {receipt.dataset.slug}: {counts}.")
