"""Create the site's tables in an empty database, or migrate an older one if requested."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command

from annotate.management.site_command import SiteCommand, refused
from annotate.operations.health.versions import misfit


class Command(SiteCommand):
    help = (
        "Make the site's tables in an empty database. One of an older version is only brought up to this one "
        "with --migrate; one of a newer version is refused."
    )
    needs_this_version = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--migrate",
            action="store_true",
            help="bring a database of an older version up to this one",
        )

    def handle(self, **options: Any) -> None:
        found = misfit()
        if found and found.kind != "empty" and not (found.kind == "older" and options["migrate"]):
            raise refused(found)
        if found:
            call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
