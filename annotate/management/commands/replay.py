"""Rebuild every ranking from the log of answers, and compare it with the stored one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotate.judging.replay import rankings_that_differ
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Replay all answers and prove that the stored rankings are what they give."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check", action="store_true", required=True, help="compare; nothing is changed"
        )

    def handle(self, **options: Any) -> None:
        n_checked, differing = 0, []
        for assignment, differs in rankings_that_differ():
            n_checked += 1
            if differs:
                differing.append(assignment)
                self.stderr.write(f"{assignment}: the log gives other rankings than are stored")
        if differing:
            raise CommandError(
                f"{len(differing)} of {n_checked} assignments differ from their log."
            )
        self.stdout.write(f"{n_checked} assignments: identical.")
