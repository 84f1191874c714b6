"""Work on jobs until stopped."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotate.jobs import consumer, workers
from annotate.jobs.errors import QueueAway
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = (
        "Work on jobs (loads, scoring, reports, files, letters) until it is stopped. A site needs one "
        "at least; there may be several, on several machines that share database and DATA_DIR."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--jobs", type=int, default=4, help="how many at once (4)")
        parser.add_argument(
            "--until-input-ends", action="store_true", help="end with who started it"
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="only say whether a worker of this machine was heard of lately (exit code 0 or 1)",
        )

    def handle(self, **options: Any) -> None:
        if options["check"]:
            if not workers.is_here():
                raise CommandError("No worker of this machine was heard of lately.")
            return
        if options["jobs"] < 1:
            raise CommandError("--jobs must be 1 or more.", returncode=2)
        try:
            consumer.work(n_threads=options["jobs"], ends_with_input=options["until_input_ends"])
        except QueueAway as fault:
            raise CommandError(f"The queue cannot be opened: {fault}", returncode=2) from fault
        # Threads of unfinished jobs must not keep the process alive; another worker takes the jobs.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
