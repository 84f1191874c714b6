"""Write the whole site into one archive, while it runs."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from annotate.management.site_command import SiteCommand
from annotate.operations.backups.writing import write_backup, write_file


class Command(SiteCommand):
    help = (
        "Write every row and every photograph into one archive, with "
        "checksums, while the site runs. It holds password hashes and personal data: keep it as the "
        "database. Encrypt it on its way: "
        "backup - | age -r KEY > site.zip.age"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            help="the archive, a new file; a folder, for one named after the day; - for standard output",
        )
        parser.add_argument(
            "--keep", type=int, metavar="N", help="in a folder: delete all but the newest N"
        )
        parser.add_argument("--no-photographs", action="store_true", help="rows alone")

    def handle(self, **options: Any) -> None:
        photographs = not options["no_photographs"]
        if options["file"] == "-":
            counts = write_backup(sys.stdout.buffer, photographs=photographs)
        else:
            path = Path(options["file"])
            folder = path if path.is_dir() else None
            if folder is not None:
                path = folder / f"site-{timezone.now():%Y-%m-%d}.zip"
            if path.exists():
                raise CommandError(f"{path} is there already.", returncode=2)
            counts = write_file(path, photographs=photographs)
            if folder is not None and options["keep"]:
                for old in sorted(folder.glob("site-????-??-??.zip"))[: -options["keep"]]:
                    old.unlink()
        n_photographs = counts.pop("photographs")
        n_rows = sum(counts.values())
        said = f"{n_rows:,} rows and {n_photographs:,} photographs."
        self.stderr.write(said)
