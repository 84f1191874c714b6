"""Write a whole study to one file: data, settings, log and report."""

import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotate.design.study_file.writing import as_file
from annotate.exchange.bundles.writing import write_bundle
from annotate.management import reporting
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Export a study as a zip that import_study loads into another site."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("--out", type=Path, required=True, help="zip to write")
        parser.add_argument(
            "--as-file", action="store_true", help="the study file that make_study reads, not a zip"
        )
        parser.add_argument("--images", action="store_true", help="with the photographs")
        parser.add_argument(
            "--names",
            action="store_true",
            help="user names instead of annotator-1, annotator-2 ...",
        )

    def handle(self, **options: Any) -> None:
        study, out = reporting.study_named(options["study"]), options["out"]
        try:
            if options["as_file"]:
                out.write_text(as_file(study), encoding="utf-8")
                self.stdout.write(f"{out}: the study file of {study}.")
                return
            # The file gets its name once it is complete.
            with tempfile.NamedTemporaryFile(
                dir=out.parent, prefix=f".{out.name}-", delete=False
            ) as file:
                unfinished = Path(file.name)
                try:
                    counts = write_bundle(
                        study, file, photographs=options["images"], names=options["names"]
                    )
                    file.close()
                    unfinished.chmod(0o644)
                    unfinished.replace(out)
                finally:
                    unfinished.unlink(missing_ok=True)
        except OSError as fault:
            raise CommandError(f"{out}: {fault.strerror}", returncode=1) from fault
        held = ", ".join(f"{number} {what}" for what, number in counts.items())
        self.stdout.write(f"{out}: {held}.")
