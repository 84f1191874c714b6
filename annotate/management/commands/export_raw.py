"""Write a study's raw data: every event and every ranking, with a dictionary and checksums."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotate.exchange import raw
from annotate.management import reporting
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Export every event and every ranking of a study as CSV and JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="slug of the study")
        parser.add_argument("--file", choices=raw.FILES, help="one file alone")
        parser.add_argument(
            "--out",
            type=Path,
            help="folder for all files; with --file the file to write, standard output without it",
        )
        parser.add_argument(
            "--names",
            action="store_true",
            help="user names instead of annotator-1, annotator-2 ...",
        )

    def handle(self, **options: Any) -> None:
        study = reporting.study_named(options["study"])
        name, out, names = options["file"], options["out"], options["names"]
        if name is None and out is None:
            raise CommandError("Name a folder with --out, or one file with --file.", returncode=2)
        if name is None:
            written = raw.write_folder(study, out, names=names)
            self.stdout.write(f"{out}: {', '.join(written)}.")
        elif out is None:
            for piece in raw.content(study, name, names=names):
                self.stdout.write(piece.decode(), ending="")
        else:
            with out.open("wb") as file:
                file.writelines(raw.content(study, name, names=names))
