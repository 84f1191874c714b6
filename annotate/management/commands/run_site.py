"""The site on this machine, with its worker."""

import subprocess  # nosec B404
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Start the site and a worker on this machine; Ctrl+C ends both."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("address", nargs="?", default="127.0.0.1:8000")

    def handle(self, **options: Any) -> None:
        with _a_worker():
            call_command("runserver", options["address"], use_reloader=False)


@contextmanager
def _a_worker() -> Iterator[None]:
    """Keep a worker beside this process; it also ends when this process is killed."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "worker", "--until-input-ends"]
    # Nobody writes to its input: it ends when this process does, however that ends.
    with subprocess.Popen(command, stdin=subprocess.PIPE) as worker:  # nosec B603
        try:
            yield
        finally:
            worker.terminate()
            worker.wait()
