"""Rehearse an emergency: restore the newest backup in a scratch place, and compare."""

import json
import tempfile
import zipfile
from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils import timezone

from annotate.judging.models import Judgement
from annotate.management.again import environment, run_there
from annotate.management.site_command import SiteCommand
from annotate.operations.backups import daily
from annotate.operations.backups.writing import MANIFEST


class Command(SiteCommand):
    help = (
        "Restore a backup into a scratch database, replay every ranking there, write it out again and "
        "compare every table; then remove it. Says how long an emergency would take, and how much is "
        "newer than the backup. The site keeps running."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="the newest daily copy by default")
        parser.add_argument(
            "--database",
            metavar="URL",
            help="an empty database to restore into, such as one of the site's kind; by default a file",
        )

    def handle(self, **options: Any) -> None:
        path: Path | None = options["file"] or daily.newest()
        if path is None or not path.is_file():
            missing = f"There is no file {path}." if path else "There is no daily copy yet."
            raise CommandError(f"{missing} Make a backup: {settings.MANAGE} backup FILE")
        with tempfile.TemporaryDirectory(dir=settings.DATA_DIR, prefix="rehearsal-") as scratch:
            url = options["database"] or f"sqlite:///{scratch}/db.sqlite3"
            there = environment(DATABASE_URL=url, DATA_DIR=scratch, QUEUE_URL="")
            again = Path(scratch, "again.zip")
            began = monotonic()
            run_there(there, "restore", str(path.resolve()))
            restored = monotonic()
            run_there(there, "replay", "--check")
            replayed = monotonic()
            run_there(there, "backup", str(again), "--no-photographs")
            before, after = _manifest(path), _manifest(again)
        differing = [
            name for name, digest in before["sums"].items() if after["sums"][name] != digest
        ]
        if differing:
            raise CommandError(f"Restored, these differ from the backup: {', '.join(differing)}.")
        self.stdout.write(
            f"{path.name}: {sum(before['counts'].values()):,} rows, the same after restoring; every ranking "
            f"replays.\nAn emergency would take about {_duration(replayed - began)}: "
            f"{_duration(restored - began)} to restore, {_duration(replayed - restored)} to replay."
        )
        self._tell_what_is_lost(before)

    def _tell_what_is_lost(self, manifest: dict[str, Any]) -> None:
        taken = datetime.fromisoformat(manifest["taken"])
        hours = (timezone.now() - taken).total_seconds() / 3600
        n_newer = Judgement.objects.filter(created__gt=taken).count()
        self.stdout.write(f"It is {hours:.1f} hours old; {n_newer:,} answers are newer than it.")
        if not manifest["photographs"]:
            self.stdout.write(
                "It holds rows alone: copy DATA_DIR/images and DATA_DIR/entries as well."
            )


def _manifest(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        manifest: dict[str, Any] = json.loads(archive.read(MANIFEST))
    return manifest


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
