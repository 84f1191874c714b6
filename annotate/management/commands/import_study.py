"""Load a study that export_study wrote."""

from argparse import ArgumentParser
from typing import Any

from annotate.exchange.bundles.reading import import_study
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Load a study's bundle, everything or nothing; its rankings are recomputed and compared."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("bundle", help="zip that export_study wrote")

    def handle(self, **options: Any) -> None:
        loaded = import_study(options["bundle"])
        for note in loaded.notes:
            self.stderr.write(f"warning: {note}")
        counts = ", ".join(f"{number} {what}" for what, number in loaded.counts.items())
        self.stdout.write(f"Loaded {loaded.study.slug}: {counts}. Rankings: identical.")
