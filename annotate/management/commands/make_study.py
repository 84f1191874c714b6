"""Make a study from one file, or from the few options of the simplest case."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db import transaction
from django.urls import reverse

from annotate.accounts.models import Invitation
from annotate.accounts.services import invite
from annotate.challenges import study_file
from annotate.design.study_file.errors import FileRefused
from annotate.design.study_file.reading import StudyFile, checked, read, schema
from annotate.design.study_file.services import Made, make
from annotate.management import reporting
from annotate.management.site_command import SiteCommand


class Command(SiteCommand):
    help = (
        "Load data, score them, make a study and open it, as one file says; print its links. Everything "
        "or nothing; a second time changes what may still be changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, metavar="study.toml")
        parser.add_argument("--truth", metavar="FILE", help="ground truth, in place of a file")
        parser.add_argument("--photographs", metavar="FILE", help="a folder or zip of photographs")
        parser.add_argument("--results", nargs="+", metavar="FILE", help="results of the methods")
        parser.add_argument("--name", help="name of the study, without a file")
        parser.add_argument("--annotators", type=int, default=3, help="so many invitations")
        parser.add_argument("--yes", action="store_true", help="make it without asking")
        parser.add_argument(
            "--address", default="", help="address of the site in the links, https://..."
        )
        parser.add_argument(
            "--schema", action="store_true", help="write the JSON Schema of study files, and end"
        )

    def handle(self, **options: Any) -> None:
        if options["schema"]:
            self.stdout.write(json.dumps(schema(), indent=1))
            return
        file = read(options["file"]) if options["file"] else _of_options(options)
        if not options["yes"] and sys.stdin.isatty() and not self._agrees(file):
            raise CommandError("Nothing was made: it was not confirmed.", returncode=2)
        study_file.check(file)
        progress = reporting.TellingProgress(self.stdout)
        with transaction.atomic():
            made = make(file, tell=self.stdout.write, progress=progress)
            made.changed += study_file.make(file, made.study)
        self._tell(made, _site(options["address"]))

    def _agrees(self, file: StudyFile) -> bool:
        self.stdout.write(f"{file.path}: {file.content['name']}")
        try:
            return input("Make or change this study? [y/N] ").strip().lower() in ("y", "yes")
        except EOFError:
            return False

    def _tell(self, made: Made, site: str) -> None:
        study = made.study
        if made.is_new:
            self.stdout.write(f"Made: {study}, {study.images.count()} images.")
        elif made.changed:
            self.stdout.write(f"Changed: {', '.join(made.changed)}.")
        else:
            self.stdout.write(f"Nothing has changed: {study} is as the file says.")
        self.stdout.write(f"Study: {site}{reverse('studies:detail', args=[study.slug])}")
        self.stdout.write(f"Report: {site}{reverse('reports:report', args=[study.slug])}")
        for entrance in study.entrances.all():
            link = reverse("join:start", args=[entrance.slug])
            self.stdout.write(f"Entrance {entrance.name}: {site}{link}")
        if not User.objects.filter(is_active=True, is_superuser=True).exists():
            [admin] = invite(study=None, role=Invitation.Role.ADMIN)
            made.invitations.append(("admin of the site", "", admin.token))
        for challenge in study.dataset.challenges.all():
            link = reverse("public_challenges:page", args=[challenge.address])
            self.stdout.write(f"Challenge {challenge}: {site}{link}")
        for role, address, token in made.invitations:
            link = reverse("accounts:open_invitation", args=[token])
            self.stdout.write(f"Invitation, {role} {address or '(anyone)'}: {site}{link}")


def _of_options(options: dict[str, Any]) -> StudyFile:
    """Return the content of a file from the options of the simplest case."""
    if not options["truth"] or not options["results"]:
        raise FileRefused("Name a study file, or --truth and --results.")
    data = {"truth": options["truth"], "results": options["results"]}
    if options["photographs"]:
        data["photographs"] = options["photographs"]
    name = options["name"] or f"Study of {Path(options['truth']).stem}"
    content = {"name": name, "data": data, "people": {"annotators": options["annotators"]}}
    return checked(StudyFile(Path("options"), content, {}))


def _site(given: str) -> str:
    """Return the address that links begin with."""
    return (given or next(iter(settings.CSRF_TRUSTED_ORIGINS), "http://127.0.0.1:8000")).rstrip("/")
