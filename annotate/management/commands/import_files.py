"""Load any files the site can read: the check, the report and the load of the pages, as a command."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.errors import Refusal
from annotate.imports import drafts, exports, reporting, work
from annotate.imports.errors import NotLoaded
from annotate.imports.models import Draft, FileKind, Finding, Missing


class Command(BaseCommand):
    help = (
        "Check files and load them: ground truth, photographs, results, scores, people. What each is "
        "is found out. Ends with 0 if nothing was odd, 1 if something was read all the same, 2 if "
        "nothing was or could be loaded."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument("--dataset", help="slug of the dataset to load into")
        parser.add_argument("--name", default="", help="name of a new dataset")
        parser.add_argument("--provenance", default="")
        parser.add_argument("--licence", default="")
        parser.add_argument(
            "--as",
            dest="described",
            action="append",
            default=[],
            metavar="FILE=KIND[:TITLE]",
            help="what a file is, where the guess is wrong; TITLE names the method or protocol",
        )
        parser.add_argument(
            "--missing", choices=Missing.values, help="what an image without a result file means"
        )
        parser.add_argument(
            "--per-cent", action="store_true", help="scores above 1 are per cent, not faults"
        )
        parser.add_argument("--replace", action="store_true", help="of results that are loaded")
        parser.add_argument("--dry-run", action="store_true", help="check only; load nothing")
        parser.add_argument("--yes", action="store_true", help="load without asking")
        parser.add_argument("--report", metavar="FILE.csv", help="write all findings there")

    def handle(self, **options: Any) -> None:
        dataset = options["dataset"] and reporting.dataset_named(options["dataset"])
        draft = drafts.open_draft(
            person=None,
            dataset=dataset or None,
            name=options["name"],
            provenance=options["provenance"],
            licence=options["licence"],
        )
        try:
            self._run(draft, options)
        except Refusal as refusal:
            raise CommandError(str(refusal), returncode=2) from refusal
        finally:
            self._leave_nothing_behind(draft)

    def _run(self, draft: Draft, options: dict[str, Any]) -> None:
        for path in map(Path, options["files"]):
            self._add(draft, path, options)
        progress = reporting.TellingProgress(self.stdout)
        work.check(drafts.begin_check(draft=draft), progress)
        draft.refresh_from_db()
        answers = {
            question.finding.file_id: {"missing": options["missing"] or ""}
            for question in drafts.questions(draft)
            if question.finding.code == "N4"
        }
        drafts.answer(draft=draft, answers=answers)
        self._tell_findings(draft, options["report"])
        planned = drafts.plan(draft)
        for title, lines in (
            ("Will be added", planned.added),
            ("Will be replaced", planned.replaced),
            ("Is left alone", planned.left_alone),
        ):
            for line in lines:
                self.stdout.write(f"{title}: {line}.")
        if planned.obstacles:
            raise NotLoaded(" ".join(planned.obstacles))
        n_warnings = draft.findings.filter(severity=Finding.Severity.WARNING).count()
        if options["dry_run"]:
            self.stdout.write("Nothing was loaded: this was a dry run.")
        elif options["yes"] or self._agrees():
            work.load(drafts.begin_load(draft=draft, replace=options["replace"]), progress)
            for receipt in draft.receipts.order_by("pk"):
                self.stdout.write(f"Loaded: {receipt} (receipt {receipt.pk}).")
        else:
            raise CommandError("Nothing was loaded: it was not confirmed.", returncode=2)
        if n_warnings:
            raise CommandError(
                f"{n_warnings} thing{'s were' if n_warnings != 1 else ' was'} odd, and read all the "
                "same; they are listed above.",
                returncode=1,
            )

    def _add(self, draft: Draft, path: Path, options: dict[str, Any]) -> None:
        try:
            with path.open("rb") as stream:
                file = drafts.add_file(draft=draft, stream=stream, name=path.name)
        except OSError as fault:
            raise CommandError(f"{path}: {fault.strerror}", returncode=2) from fault
        fields: dict[str, Any] = {"missing": options["missing"] or ""}
        if options["per_cent"]:
            fields["per_cent"] = True
        for described in options["described"]:
            name, _, what = described.partition("=")
            if name in (path.name, str(path)):
                kind, _, title = what.partition(":")
                fields |= {"kind": kind} | ({"title": title} if title else {})
        if fields.get("kind", file.kind) not in FileKind.values:
            known = ", ".join(FileKind.values)
            raise CommandError(f"{fields['kind']} is no kind of file; {known}.", returncode=2)
        drafts.change_file(file=file, **fields)
        self.stdout.write(f"{file.name}: {file.get_kind_display()} {file.title}".rstrip())

    def _tell_findings(self, draft: Draft, report: str | None) -> None:
        reporting.write_findings(self.stderr, draft)
        if report:
            with open(report, "w", encoding="utf-8", newline="") as file:
                file.writelines(exports.findings_as_csv(draft.findings.all()))

    def _agrees(self) -> bool:
        try:
            return input("Load this? [y/N] ").strip().lower() in ("y", "yes")
        except EOFError:
            return False

    @staticmethod
    def _leave_nothing_behind(draft: Draft) -> None:
        """What was loaded keeps its report with its receipt; what was not is forgotten."""
        found = drafts.find(draft.pk)
        if not found.is_over:
            drafts.discard(draft=found)
