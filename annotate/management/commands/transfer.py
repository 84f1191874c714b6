"""Copy the site's rows into another database, and verify that they are the same."""

import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from annotate.management.again import environment, run_there
from annotate.management.site_command import SiteCommand
from annotate.operations.backups.writing import write_file


class Command(SiteCommand):
    help = (
        "Copy every row into an empty database of either kind (sqlite:///FILE, postgres://...), and replay "
        "all answers there. Photographs stay where they are. Stop the site first; afterwards start it "
        "with the new DATABASE_URL."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("database_url")

    def handle(self, **options: Any) -> None:
        there = environment(DATABASE_URL=options["database_url"])
        with tempfile.TemporaryDirectory(dir=settings.DATA_DIR) as folder:
            archive = Path(folder, "rows.zip")
            counts = write_file(archive, photographs=False)
            for step in (["set_up"], ["restore", str(archive)], ["replay", "--check"]):
                run_there(there, *step)
        self.stdout.write(f"{sum(counts.values()):,} rows, and every ranking replays there.")
