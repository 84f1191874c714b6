"""Run long work that waits, or whose worker was lost."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import close_old_connections

from annotate.jobs.running import run_waiting


class Command(BaseCommand):
    help = (
        "Run the jobs that wait, those included whose worker was lost. The site starts this by "
        "itself; a server may also keep it running (--keep-on)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("first", nargs="?", type=int, help="number of the job to begin with")
        parser.add_argument("--keep-on", action="store_true", help="look again every five seconds")

    def handle(self, **options: Any) -> None:
        n_run = run_waiting(first=options["first"])
        while options["keep_on"]:
            time.sleep(5)
            close_old_connections()
            n_run += run_waiting()
        self.stdout.write(f"{n_run} job{'' if n_run == 1 else 's'} run.")
