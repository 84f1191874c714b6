"""Run the site on this machine, with a worker."""

import subprocess  # nosec B404
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.management.again import COMMAND, environment
from annotate.management.alone import AnotherSite, alone
from annotate.management.own_server import OwnServer
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Start the site and a worker on this machine; Ctrl+C ends both."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", nargs="?", default="127.0.0.1:8000")

    def handle(self, **options: Any) -> None:
        try:
            with alone(settings.DATA_DIR, options["address"]), _a_worker():
                call_command(OwnServer(), options["address"], use_reloader=False)
        except AnotherSite as refusal:
            raise CommandError(str(refusal)) from refusal


@contextmanager
def _a_worker() -> Iterator[None]:
    """Run a worker alongside this process; it also ends when this process is killed."""
    command = [*COMMAND, "worker", "--until-input-ends"]
    # Nothing is written to its input, which ends when this process does, even if killed.
    here = environment()
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=here) as worker:  # nosec B603
        try:
            yield
        finally:
            worker.terminate()
            worker.wait()
