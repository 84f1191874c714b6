"""Make a study from one file, or from the few options of the simplest case."""

import json
import shlex
import sys
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db import transaction
from django.urls import reverse

from annotate.accounts.models import Invitation
from annotate.accounts.services import invite
from annotate.design.study_file.errors import FileRefused
from annotate.design.study_file.reading import StudyFile, checked, read, schema
from annotate.design.study_file.services import Made, make
from annotate.imports.errors import Question
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
        asks = not options["yes"] and sys.stdin.isatty()
        file = read(options["file"]) if options["file"] else _of_options(options)
        if asks:
            self._complete(file.content)
        elif not options["file"] and not {"truth", "results"} <= file.content["data"].keys():
            raise FileRefused("Name a study file, or --truth and --results.")
        checked(file)
        if asks:
            self.stdout.write(f"{file.path}: {file.content['name']}")
            if self._asked("Make or change this study? [y/N]").lower() not in ("y", "yes"):
                raise CommandError("Nothing was made: it was not confirmed.", returncode=2)
        self._tell(self._made(file, asks), _site(options["address"]))

    def _complete(self, content: dict[str, Any]) -> None:
        """Ask for the values that every study file needs and are not in this one."""
        data = content.setdefault("data", {})
        if isinstance(data, dict):
            if "truth" not in data:
                data["truth"] = self._needed("Ground truth, a file or folder:")
            if "results" not in data:
                data["results"] = shlex.split(self._needed("Results of the methods, files:"))
        if "name" not in content:
            content["name"] = self._needed("Name of the study:")

    def _needed(self, question: str) -> str:
        while not (given := self._asked(question)):
            self.stdout.write("A value is needed.")
        return given

    def _made(self, file: StudyFile, asks: bool) -> Made:
        """Make the study; begin again with the answers while a load asks something."""
        progress = reporting.TellingProgress(self.stdout)
        answers: dict[Path, dict[str, str]] = {}
        while True:
            try:
                with transaction.atomic():
                    return make(
                        file,
                        tell=self.stdout.write,
                        progress=progress,
                        answers=answers,
                        found=partial(reporting.write_kinds, self.stderr),
                    )
            except FileRefused as refusal:
                if not asks or not refusal.questions:
                    raise
                for question in refusal.questions:
                    answers.setdefault(question.path, {})[question.field] = self._chosen(question)

    def _chosen(self, question: Question) -> str:
        self.stdout.write(question.words)
        for number, (_answer, label) in enumerate(question.choices, 1):
            self.stdout.write(f"  {number}  {label}")
        numbers = {str(at): answer for at, (answer, _) in enumerate(question.choices, 1)}
        while (given := self._asked(f"{question.field}, 1 to {len(numbers)}:")) not in numbers:
            self.stdout.write(f"{given!r} is none of these numbers.")
        return numbers[given]

    def _asked(self, question: str) -> str:
        try:
            return input(f"{question} ").strip()
        except EOFError as end:
            raise CommandError("Nothing was made: the input ended.", returncode=2) from end

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
        for role, address, token in made.invitations:
            link = reverse("accounts:open_invitation", args=[token])
            self.stdout.write(f"Invitation, {role} {address or '(anyone)'}: {site}{link}")


def _of_options(options: dict[str, Any]) -> StudyFile:
    """Return the content of a file from the options of the simplest case, not checked yet."""
    named = ("truth", "photographs", "results")
    data = {name: options[name] for name in named if options[name]}
    content: dict[str, Any] = {"data": data, "people": {"annotators": options["annotators"]}}
    if options["name"] or options["truth"]:
        content["name"] = options["name"] or f"Study of {Path(options['truth']).stem}"
    return StudyFile(Path("options"), content, {})


def _site(given: str) -> str:
    """Return the address that links begin with."""
    return (given or next(iter(settings.CSRF_TRUSTED_ORIGINS), "http://127.0.0.1:8000")).rstrip("/")
