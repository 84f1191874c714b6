"""Make a study from one file, or from the few options of the simplest case."""

import json
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
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
from annotate.management.study_options import add_options


class Command(SiteCommand):
    help = (
        "Load data, score them, make a study and open it, as one file says; print its links. Everything "
        "or nothing; a second time changes what may still be changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_options(parser)

    def handle(self, **options: Any) -> None:
        if options["schema"]:
            self.stdout.write(json.dumps(schema(), indent=1))
            return
        if is_json := options["json"]:
            # Standard output is the document alone.
            self._document, self.stdout = self.stdout, self.stderr
        asks = not options["yes"] and not is_json and sys.stdin.isatty()
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
        kinds: list[Mapping[str, Any]] = []
        made, site = self._made(file, asks, kinds), _site(options["address"])
        if is_json:
            self._document.write(json.dumps(_as_data(made, site, kinds), indent=1))
        else:
            self._tell(made, site)

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

    def _made(self, file: StudyFile, asks: bool, kinds: list[Mapping[str, Any]]) -> Made:
        """Make the study; begin again with the answers while a load asks something.

        The findings of the load are written, and kept in ``kinds``.
        """

        def write_findings(of_load: Sequence[Mapping[str, Any]]) -> None:
            kinds[:] = of_load
            reporting.write_kinds(self.stderr, of_load)

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
                        found=write_findings,
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
        for name, link in _links(made, site):
            self.stdout.write(f"{name}: {link}")


def _links(made: Made, site: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the address of each page that people open next."""
    study = made.study
    yield "Study", f"{site}{reverse('studies:detail', args=[study.slug])}"
    yield "Report", f"{site}{reverse('reports:report', args=[study.slug])}"
    for entrance in study.entrances.all():
        yield f"Entrance {entrance.name}", f"{site}{reverse('join:start', args=[entrance.slug])}"
    if not User.objects.filter(is_active=True, is_superuser=True).exists():
        [admin] = invite(study=None, role=Invitation.Role.ADMIN)
        made.invitations.append(("admin of the site", "", admin.token))
    for role, address, token in made.invitations:
        link = reverse("accounts:open_invitation", args=[token])
        yield f"Invitation, {role} {address or '(anyone)'}", f"{site}{link}"


def _as_data(made: Made, site: str, kinds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the study as JSON data: its links, what changed, the findings of the load by kind."""
    study, named = made.study, ("severity", "code", "n", "lines", "advice")
    return {
        "study": study.slug,
        "dataset": study.dataset.slug,
        "state": study.state,
        "is_new": made.is_new,
        "changed": made.changed,
        "images": study.images.count(),
        "methods": [*study.methods.values_list("name", flat=True)],
        "runs": [*study.dataset.runs.order_by("pk").values_list("name", flat=True)],
        "findings": [{name: kind[name] for name in named} for kind in kinds],
        "links": [{"name": name, "address": link} for name, link in _links(made, site)],
    }


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
