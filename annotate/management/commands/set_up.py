"""A database for the site: created if missing, refused if it has another version."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from annotate.operations.health.checks import migrations


class Command(BaseCommand):
    help = (
        "Make the site's tables in an empty database. One of an older version is only brought up to this one "
        "with --migrate; one of a newer version is refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--migrate",
            action="store_true",
            help="bring a database of an older version up to this one",
        )

    def handle(self, **options: Any) -> None:
        is_empty = "django_migrations" not in connection.introspection.table_names()
        (finding,) = migrations()
        if "newer" in finding.said:
            raise CommandError(f"{finding.said[0].upper()}{finding.said[1:]}. {finding.advice}")
        if finding.state == "fault" and not is_empty and not options["migrate"]:
            raise CommandError(
                "The database is older than the program. Copy it, then bring it up to this version: "
                f"{settings.MANAGE} backup site.zip && {settings.MANAGE} set_up --migrate"
            )
        if finding.state == "fault":
            call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
