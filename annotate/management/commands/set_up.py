"""Do all of a first start: tables, caches, scripts and styles, a link for the first admin."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.urls import reverse

from annotate.accounts.models import Invitation
from annotate.accounts.services import invite
from annotate.management.site_command import SiteCommand, refused
from annotate.operations.health.versions import misfit


class Command(SiteCommand):
    help = (
        "Make the site's tables in an empty database. A database of "
        "an older version is only brought up to this one with --migrate; any other one is refused."
    )
    needs_this_version = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--migrate",
            action="store_true",
            help="bring a database of an older version up to this one",
        )
        parser.add_argument(
            "--first",
            action="store_true",
            help="also do the rest of a server's first start: scripts and styles, and, if the site has no "
            "admin yet, a link that makes the person who opens it one",
        )

    def handle(self, **options: Any) -> None:
        found = misfit()
        if found and found.kind != "empty" and not (found.kind == "older" and options["migrate"]):
            raise refused(found)
        if found:
            call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        if options["first"]:
            self._start_a_server()

    def _start_a_server(self) -> None:
        call_command("collectstatic", interactive=False, verbosity=0)
        if not User.objects.filter(is_active=True, is_superuser=True).exists():
            [made] = invite(study=None, role=Invitation.Role.ADMIN)
            address = next(iter(settings.CSRF_TRUSTED_ORIGINS), "http://127.0.0.1:8000")
            link = reverse("accounts:open_invitation", args=[made.token])
            self.stdout.write(
                f"Open this link within two weeks to become the admin: {address}{link}"
            )
