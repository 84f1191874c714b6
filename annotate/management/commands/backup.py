"""Write the whole site into one archive, while it runs."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotate.management.site_command import SiteCommand
from annotate.operations.backups.writing import write_backup


class Command(SiteCommand):
    help = (
        "Write every row and every photograph into one archive, with checksums, while the site runs. It "
        "holds password hashes and personal data: keep it as the database. Encrypt it on its way: "
        "backup - | age -r KEY > site.zip.age"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="the archive, a new file; - for standard output")
        parser.add_argument("--no-photographs", action="store_true", help="rows alone")

    def handle(self, **options: Any) -> None:
        asked = {"photographs": not options["no_photographs"]}
        if options["file"] == "-":
            counts = write_backup(sys.stdout.buffer, **asked)
        else:
            counts = _to_file(Path(options["file"]), asked)
        n_rows = sum(counts.values()) - counts["photographs"]
        self.stderr.write(f"{n_rows:,} rows and {counts['photographs']:,} photographs.")


def _to_file(path: Path, asked: dict[str, bool]) -> dict[str, int]:
    if path.exists():
        raise CommandError(f"{path} is there already.", returncode=2)
    part = path.with_name(f"{path.name}.part")
    try:
        part.touch(mode=0o600)
        with part.open("wb") as stream:
            counts = write_backup(stream, **asked)
        part.replace(path)
    except OSError as fault:
        raise CommandError(f"{path} cannot be written: {fault.strerror}.") from fault
    finally:
        part.unlink(missing_ok=True)
    return counts
