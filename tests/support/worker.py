"""A real worker process with kinds of jobs for tests only: `python -m tests.support.worker`."""

import os
import sys
import time
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "text_rankings.site.settings")


def main() -> None:
    django.setup()
    from django.conf import settings
    from django.core.management import execute_from_command_line

    from annotate.jobs.registry import register

    # Tests wait for a round of the worker after each that they kill.
    settings.WORKER_BEAT_SECONDS = 0.2
    register("tests.slow", slow, None)
    register("tests.write", write, None)
    execute_from_command_line(["manage.py", "worker", *sys.argv[1:]])


def slow(arguments, running):
    """Record the start in a file, wait until another file appears, record the end."""
    folder = Path(arguments["folder"])
    (folder / f"began-{os.getpid()}").touch()
    while not (folder / "go").exists():
        running.tell(1, 2, "Waiting")
        time.sleep(0.02)
    with (folder / "ended").open("a") as ended:
        ended.write("x")


def write(arguments, running):
    """Write a file in two halves, and wait between them until another file appears."""
    from annotate.jobs.files import publishing_file

    folder = Path(arguments["folder"])

    def halves(stream):
        stream.write(b"first half, ")
        stream.flush()
        (folder / "half").touch()
        while not (folder / "go").exists():
            time.sleep(0.02)
        stream.write(b"second half")

    with publishing_file(running, "halves.txt", halves) as outcome:
        outcome.text = "halves.txt is ready."


if __name__ == "__main__":
    main()
