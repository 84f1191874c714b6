"""Restore a backup into an empty site."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.management.site_command import SiteCommand
from annotate.operations.backups.errors import NotRestored
from annotate.operations.backups.restoring import restore


class Command(SiteCommand):
    help = "Restore what the command backup wrote, into an empty database."
    needs_this_version = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.", returncode=2)
        # It makes the tables of an empty database, and refuses one of another version.
        call_command("set_up")
        tell = self.stderr.write if options["verbosity"] > 1 else lambda doing: None
        try:
            counts = restore(path, tell)
        except NotRestored as refusal:
            raise CommandError(f"{refusal} Nothing was restored.") from refusal
        self.stdout.write(f"{sum(counts.values()):,} rows. Now: {settings.MANAGE} doctor")
