"""Delete abandoned uploads."""

from argparse import ArgumentParser
from typing import Any

from annotate.datasets import orphans
from annotate.imports import drafts
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Discard loads that were begun, not confirmed, and left alone; their uploads go."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=float, default=7, help="how long they may wait (7)")

    def handle(self, **options: Any) -> None:
        orphans.sweep()
        n_discarded, n_files = drafts.clean(days=options["days"])
        self.stdout.write(f"{n_discarded} loads discarded, {n_files} files removed.")
